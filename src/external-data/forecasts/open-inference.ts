import { LandfallError } from "../../errors.ts";
import type { ZoneForecast } from "../../model/places/forecast.ts";
import { HOUR_SECONDS } from "../../model/time.ts";
import { answerChecker } from "./answer-checker.ts";
import { makeForecast } from "./make-forecast.ts";
import { openService } from "./open-service.ts";
import type { InferenceSettings } from "./read-settings.ts";
import { eachZone, type Supplier } from "./supplier.ts";

/** Minimum length of the history, to distinguish day and night. */
const FEWEST_HOURS = 24;

interface Tensor {
  name: string;
  shape: number[];
  datatype: string;
  data: number[];
}

const check = answerChecker<{ outputs: Tensor[] }>({
  type: "object",
  required: ["outputs"],
  properties: {
    outputs: {
      type: "array",
      items: {
        type: "object",
        required: ["name", "shape", "datatype", "data"],
        properties: {
          name: { type: "string" },
          shape: { type: "array", items: { type: "integer" } },
          datatype: { enum: ["FP64", "FP32"] },
          data: { type: "array", items: { type: "number" } },
        },
      },
    },
  },
});

/** The tensor with this name; null if there is none. Throws FORECAST_ANSWER if it is not one row of `hours`. */
function rowOf(source: string, outputs: readonly Tensor[], name: string, hours: number): number[] | null {
  const tensor = outputs.find((output) => output.name === name);
  if (tensor === undefined) return null;
  const { shape, data } = tensor;
  if (data.length === hours && shape.reduce((product, size) => product * size, 1) === hours) return data;
  const detail = `tensor ${name} has shape [${shape.join()}] and ${String(data.length)} figures instead of [1,${String(hours)}]`;
  throw new LandfallError("FORECAST_ANSWER", { source, detail });
}

/** The request to the model: docs/operations/forecasts.md documents the tensors. */
function inferenceRequest({ values, start }: ZoneForecast, { historyHours, horizonHours }: InferenceSettings): object {
  const history = values.slice(-historyHours);
  const next = start + values.length * HOUR_SECONDS;
  return {
    inputs: [
      { name: "history", shape: [1, history.length], datatype: "FP64", data: history },
      { name: "start", shape: [1, 1], datatype: "INT64", data: [next] },
      { name: "horizon", shape: [1, 1], datatype: "INT64", data: [horizonHours] },
    ],
  };
}

export interface InferenceOptions {
  settings: InferenceSettings;
  /** Source of the measured hours for the model. */
  measured: Supplier;
  maxIntensity: number;
}

/** Forecasts of models behind the Open Inference Protocol, version 2 (KServe, MLServer): one model per zone. */
export function forecastsOfOpenInference({ settings, measured, maxIntensity }: InferenceOptions): Supplier {
  const { name: source, url, tokenFile, http, horizonHours } = settings;
  const authorize = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
  const service = openService({ source, url, tokenFile, http, authorize });

  async function ask(zone: string, hours: ZoneForecast | LandfallError | undefined): Promise<ZoneForecast> {
    if (hours instanceof LandfallError) throw hours;
    const known = hours?.values.length ?? 0;
    const params = { source, zone, measured: settings.measured, hours: known };
    if (hours === undefined || known < FEWEST_HOURS) throw new LandfallError("FORECAST_MEASURED", params);
    const model = encodeURIComponent(settings.model.replaceAll("{zone}", zone));
    const read = (answer: unknown): ZoneForecast => readForecast(zone, hours, answer);
    return service.ask(`/v2/models/${model}/infer`, read, { body: inferenceRequest(hours, settings) });
  }

  function readForecast(zone: string, hours: ZoneForecast, answer: unknown): ZoneForecast {
    const { outputs } = check(source, answer);
    const [values, low, high] = ["intensity", "low", "high"].map((tensor) =>
      rowOf(source, outputs, tensor, horizonHours),
    );
    if (values === undefined || values === null)
      throw new LandfallError("FORECAST_ANSWER", { source, detail: "there is no tensor intensity" });
    const start = hours.start + hours.values.length * HOUR_SECONDS;
    const points = values.map((value, index) => ({
      ...{ time: start + index * HOUR_SECONDS, value },
      ...{ low: low?.[index], high: high?.[index] },
    }));
    // Its age is that of the newest measured hour.
    return makeForecast(points, { source, zone, issuedAt: start - HOUR_SECONDS, maxIntensity });
  }

  return {
    supply: async (zones) => {
      const hours = await measured.supply(zones);
      return eachZone(source, zones, (zone) => ask(zone, hours.get(zone)));
    },
    close: () => service.close(),
  };
}
