import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { MINUTE_SECONDS, parseTime } from "../../model/time.ts";
import { answerChecker } from "./answer-checker.ts";
import { makeForecast } from "./make-forecast.ts";
import { openService } from "./open-service.ts";
import type { CarbonAwareSettings } from "./read-settings.ts";
import { eachZone, type Supplier } from "./supplier.ts";

interface Forecast {
  generatedAt: string;
  /** `value` in gCO2/kWh, `duration` in minutes. */
  forecastData: { timestamp: string; duration?: number; value: number }[];
}

const check = answerChecker<Forecast[]>({
  type: "array",
  minItems: 1,
  items: {
    type: "object",
    required: ["generatedAt", "forecastData"],
    properties: {
      generatedAt: { type: "string" },
      forecastData: {
        type: "array",
        items: {
          type: "object",
          required: ["timestamp", "value"],
          properties: { timestamp: { type: "string" }, duration: { type: "number" }, value: { type: "number" } },
        },
      },
    },
  },
});

function timeOf(source: string, text: string): number {
  const time = parseTime(text);
  if (time === null)
    throw new LandfallError("FORECAST_ANSWER", { source, detail: `${text.slice(0, 40)} is not a time` });
  return time;
}

/** Forecasts from the web API of the Green Software Foundation's Carbon Aware SDK. */
export function forecastsOfCarbonAwareSdk(settings: CarbonAwareSettings, maxIntensity: number): Supplier {
  const { name: source, url, tokenFile, locations, http } = settings;
  const authorize = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const service = openService({ source, url, tokenFile, http, authorize });

  async function ask(zone: string): Promise<ZoneForecast> {
    const location = locations[zone];
    if (location === undefined) throw new LandfallError("FORECAST_ZONE", { source, zone });
    // Without windowSize the SDK returns every value; with it, means over windows.
    const read = (answer: unknown): ZoneForecast => readForecast(zone, answer);
    return service.ask("/emissions/forecasts/current", read, { query: { location } });
  }

  function readForecast(zone: string, answer: unknown): ZoneForecast {
    const [forecast] = check(source, answer);
    if (forecast === undefined) throw new LandfallError("FORECAST_ZONE", { source, zone });
    const data = forecast.forecastData;
    const points = data.map(({ timestamp, value }) => ({ time: timeOf(source, timestamp), value }));
    const [first] = data;
    return makeForecast(points, {
      ...{ source, zone, maxIntensity, issuedAt: timeOf(source, forecast.generatedAt) },
      ...(first?.duration === undefined ? {} : { stepSeconds: first.duration * MINUTE_SECONDS }),
    });
  }

  return {
    supply: (zones) =>
      eachZone(
        source,
        zones.filter((zone) => zone in locations),
        ask,
      ),
    close: () => service.close(),
  };
}
