import { beforeAll, describe, expect, it } from "vitest";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import type { Decision } from "../../../../src/model/decision.ts";
import type { ForecastBook, ForecastSource, ZoneForecast } from "../../../../src/model/places/forecast.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import type { LoadedBundle } from "../../../../src/policy/loaded-bundle.ts";
import { NOW, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadPolicy();
});

/** Flat but for one hour that is far better. */
const forecast = (best: number, change: Partial<ZoneForecast> = {}): ZoneForecast => ({
  issuedAt: NOW - HOUR_SECONDS,
  start: NOW,
  stepSeconds: HOUR_SECONDS,
  values: Array.from({ length: 72 }, (_, hour) => (hour === best ? 5 : 200)),
  band: null,
  ...change,
});

const source = (
  name: string,
  zones: ForecastSource["zones"],
  change: Partial<ForecastSource> = {},
): ForecastSource => ({
  ...{ name, zones, maxAgeSeconds: 24 * HOUR_SECONDS, problems: {}, problem: null },
  ...change,
});

/** In the one zone of gcp/europe-west3 and azure/germanywestcentral. */
function decideIn(book: ForecastBook | null, spec: object = {}): Decision {
  const asked = {
    cpu: 2,
    memory: 4,
    duration: "1h",
    deadline: formatTime(NOW + 48 * HOUR_SECONDS),
    dataResidency: ["DE"],
  };
  return decideAlone({
    kind: "VmTemplate",
    object: vm({ ...asked, provider: "gcp", schedulingLocation: "europe-west3", ...spec }),
    namespace: { name: "demo", labels: {}, annotations: {} },
    ...{ nowSeconds: NOW, relatedWorkloads: null, operation: "CREATE", policy, forecasts: book },
  });
}

const codes = ({ degraded }: Decision): string[] =>
  degraded.map(({ code }) => code).filter((code) => code.startsWith("FORECAST"));

describe("a decision with forecasts", () => {
  it("uses the best start of the first source, and reports the source", () => {
    const band = { low: Array.from({ length: 72 }, () => 1), high: Array.from({ length: 72 }, () => 400) };
    const decision = decideIn({ sources: [source("grid", { DE: forecast(7, { band }) }), source("other", {})] });
    expect(decision.placement?.start).toBe(formatTime(NOW + 7 * HOUR_SECONDS));
    const { gramsLow, gramsHigh, ...basis } = decision.placement?.carbon ?? { gramsLow: 0, gramsHigh: 0 };
    const until = formatTime(NOW + 72 * HOUR_SECONDS);
    expect(basis).toEqual({
      zone: "DE",
      source: "grid",
      issuedAt: formatTime(NOW - HOUR_SECONDS),
      until,
      waitingGramsPerDay: expect.closeTo(0.1019, 4) as number,
    });
    const grams = decision.placement?.gramsCO2 ?? 0;
    expect(gramsLow).toBeCloseTo(grams / 5, 2);
    expect(gramsHigh).toBeCloseTo(grams * 80, 0);
    expect(codes(decision)).toEqual([]);
  });

  it("uses climatology without forecasts, and reports it", () => {
    const decision = decideIn(null);
    expect(decision.placement?.carbon).toMatchObject({ zone: "DE", issuedAt: null, until: null, gramsLow: null });
    expect(decision.placement?.carbon?.source).toContain("2022");
    expect(codes(decision)).toEqual([]);
  });

  it("gives the same bytes for the same forecasts", () => {
    const book = (): ForecastBook => ({ sources: [source("grid", { DE: forecast(7) })] });
    expect(JSON.stringify(decideIn(book()))).toBe(JSON.stringify(decideIn(book())));
  });

  const stale = { issuedAt: NOW - 30 * HOUR_SECONDS };
  const ahead = { issuedAt: NOW + 2 * HOUR_SECONDS };
  const over = { start: NOW - 80 * HOUR_SECONDS, issuedAt: NOW - 2 * HOUR_SECONDS };
  const down = { code: "FORECAST_AWAY", params: { source: "grid", detail: "ECONNREFUSED" } } as const;
  const absurd = { code: "FORECAST_VALUE", params: { source: "grid", zone: "DE" } } as const;

  it.each<[string, ForecastSource, string]>([
    ["has no forecast for the zone", source("grid", { FR: forecast(3) }), "FORECAST_ZONE"],
    ["has a stale one", source("grid", { DE: forecast(3, stale) }), "FORECAST_STALE"],
    ["has one that is over", source("grid", { DE: forecast(3, over) }), "FORECAST_STALE"],
    ["has one from the future", source("grid", { DE: forecast(3, ahead) }), "FORECAST_CLOCK"],
    ["is down", source("grid", {}, { problem: down }), "FORECAST_AWAY"],
    ["said what is absurd", source("grid", {}, { problems: { DE: absurd } }), "FORECAST_VALUE"],
  ])("falls to the next source where the first one %s, then to climatology, and says so", (_name, first, code) => {
    const next = decideIn({ sources: [first, source("spare", { DE: forecast(9) })] });
    expect(next.placement?.start).toBe(formatTime(NOW + 9 * HOUR_SECONDS));
    expect(next.placement?.carbon?.source).toBe("spare");
    expect(codes(next)).toEqual([code]);
    expect(next.degraded.find((entry) => entry.code === code)?.message).toMatch(/; spare was used instead$/);
    const last = decideIn({ sources: [first] });
    expect(last.placement?.start).toBe(decideIn(null).placement?.start);
    expect(codes(last)).toEqual([code]);
    expect(last.degraded.find((entry) => entry.code === code)?.message).toMatch(/; the climatology of the bundle was/);
  });

  it("continues with the next source if a forecast ends before the deadline, and reports it", () => {
    const short = forecast(3, { values: Array.from({ length: 6 }, () => 200) });
    const decision = decideIn({ sources: [source("short", { DE: short }), source("long", { DE: forecast(9) })] });
    expect(decision.placement?.start).toBe(formatTime(NOW + 9 * HOUR_SECONDS));
    expect(codes(decision)).toEqual(["FORECAST_SHORT"]);
    const message = decision.degraded.find(({ code }) => code === "FORECAST_SHORT")?.message;
    expect(message).toBe(
      `the forecast of short for DE ends at ${formatTime(NOW + 6 * HOUR_SECONDS)}, before ${formatTime(NOW + 48 * HOUR_SECONDS)}; after that long was used`,
    );
  });

  it("reports zones with a different source", () => {
    const book = { sources: [source("grid", { DE: forecast(3, { values: Array.from({ length: 72 }, () => 60) }) })] };
    const decision = decideIn(book, {
      provider: undefined,
      schedulingLocation: undefined,
      dataResidency: ["DE", "PL"],
    });
    expect(decision.placement?.carbon?.zone).toBe("DE");
    expect(codes(decision)).toContain("FORECAST_UNEVEN");
    expect(decision.degraded.find(({ code }) => code === "FORECAST_UNEVEN")?.message).toContain("PL");
  });

  it("does not require a forecast of the week for a long-running machine, but reports a missing one", () => {
    const spec = { duration: undefined, deadline: undefined };
    expect(codes(decideIn({ sources: [source("grid", { DE: forecast(3) })] }, spec))).toEqual([]);
    expect(codes(decideIn({ sources: [source("grid", {})] }, spec))).toEqual(["FORECAST_ZONE"]);
  });
});
