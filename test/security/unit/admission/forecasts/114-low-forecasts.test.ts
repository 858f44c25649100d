import { beforeAll, describe, expect, it } from "vitest";
import { decideAlone } from "../../../../../src/admission/decide/decide.ts";
import type { Decision } from "../../../../../src/model/decision.ts";
import type { ForecastBook } from "../../../../../src/model/places/forecast.ts";
import { formatTime, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { NOW, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadPolicy();
});

/** A forecast of Poland, whose grid emits far more than most of Europe. */
const book = (values: number[], stepSeconds = HOUR_SECONDS): ForecastBook => ({
  sources: [
    {
      ...{ name: "grid", maxAgeSeconds: 24 * HOUR_SECONDS, problems: {}, problem: null },
      zones: { PL: { issuedAt: NOW, start: NOW, stepSeconds, values, band: null } },
    },
  ],
});
const series = (length: number, value: (index: number) => number): number[] =>
  Array.from({ length }, (_, index) => value(index));

const decide = (forecasts: ForecastBook, spec: object = {}): Decision =>
  decideAlone({
    kind: "VmTemplate",
    object: vm({
      ...{ cpu: 8, memory: 32, duration: "3h", maxLatency: 60, dataResidency: ["EU"] },
      ...{ deadline: formatTime(NOW + 48 * HOUR_SECONDS) },
      ...spec,
    }),
    namespace: { name: "demo", labels: {}, annotations: {} },
    ...{ nowSeconds: NOW, relatedWorkloads: null, operation: "CREATE", policy, forecasts },
  });

describe("114: a forecast far below what the zone ever had", () => {
  it.each([
    ["a gram all the time", book(series(48, () => 1))],
    ["a gram for a day among others", book(series(72, (hour) => (hour >= 10 && hour < 34 ? 1 : 700)))],
    ["nothing, but for one hour of each day", book(series(48, (hour) => (hour % 24 === 23 ? 30 : 0)))],
    ["nothing for half a day, and no more values", book(series(12, () => 0))],
    [
      "a gram in steps of five minutes",
      book(
        series(288, () => 1),
        300,
      ),
    ],
    [
      "a gram in steps of a day",
      book(
        series(2, () => 1),
        24 * HOUR_SECONDS,
      ),
    ],
  ])("attracts nothing with %s", (_what, forecasts) => {
    expect(decide(forecasts).placement?.carbon?.zone).not.toBe("PL");
    const named = decide(forecasts, { provider: "azure", schedulingLocation: "polandcentral" });
    expect(named.degraded.map(({ code }) => code)).toContain("FORECAST_IMPLAUSIBLE");
  });

  it.each([
    ["a low day", book(series(48, () => 150))],
    ["twelve hours of a gram", book(series(48, (hour) => (hour < 12 ? 1 : 400)))],
  ])("is told from %s, which is used", (_what, forecasts) => {
    const { degraded } = decide(forecasts, { provider: "azure", schedulingLocation: "polandcentral" });
    expect(degraded.map(({ code }) => code)).not.toContain("FORECAST_IMPLAUSIBLE");
  });
});
