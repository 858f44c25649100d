import { type JsonService, startJsonService } from "./json-service.ts";

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, -5)}+00:00`;

export interface CarbonAwareDouble {
  /** Seconds since 1970 at which the forecast was generated. */
  generatedAt: () => number;
  /** location -> gCO2/kWh, one figure each five minutes */
  locations: Record<string, number[]>;
}

const STEP_MINUTES = 5;

/** A double of the Carbon Aware SDK's web API: GET /emissions/forecasts/current. */
export function startCarbonAwareSdk({ generatedAt, locations }: CarbonAwareDouble): Promise<JsonService> {
  return startJsonService(({ url }) => {
    if (url.pathname !== "/emissions/forecasts/current") return { status: 404, body: "" };
    const location = url.searchParams.get("location") ?? "";
    const values = locations[location];
    const title = "One or more validation errors occurred.";
    if (values === undefined) {
      const problem = { title, status: 400, detail: `Unknown location: '${location}' not found`, errors: {} };
      return { status: 400, body: problem, headers: { "content-type": "application/problem+json" } };
    }
    const start = generatedAt();
    const forecastData = values.map((value, index) => ({
      location,
      timestamp: iso(start + index * STEP_MINUTES * 60),
      duration: STEP_MINUTES,
      value,
    }));
    const forecast = {
      generatedAt: iso(start),
      requestedAt: iso(start + 30),
      location,
      dataStartAt: iso(start),
      dataEndAt: iso(start + values.length * STEP_MINUTES * 60),
      windowSize: STEP_MINUTES,
      optimalDataPoints: forecastData.slice(0, 1),
      forecastData,
    };
    return { status: 200, body: [forecast] };
  });
}
