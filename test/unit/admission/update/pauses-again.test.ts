import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";

const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const at = (hour: number): string => formatTime(NOW + hour * HOUR_SECONDS);

/** For Germany: 200 g everywhere but for the hours that are named. */
function forecast(hours: Record<number, number>): ForecastBook {
  const values = Array.from({ length: 72 }, (_, hour) => hours[hour] ?? 200);
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const contextOf = (book: ForecastBook, hour = 0): AdmissionContext => ({
  ...context(policy, NOW + hour * HOUR_SECONDS),
  forecasts: book,
});
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "2h", deadline: at(48), provider: "gcp", schedulingLocation: "europe-west3" },
  interruptible: { resumeCost: "15m" },
};
const GREEN = { 10: 50, 20: 50 };

/** Decided to run in hours 10 and 20. */
function waiting(): WorkloadObject {
  const object = vm(SPEC);
  return patched(object, admit(create(object), contextOf(forecast(GREEN))));
}

const annotated = (object: WorkloadObject): WorkloadObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [ANNOTATION.reevaluate]: "if-better" },
  },
});
const segmentsOf = (object: WorkloadObject) => readDecision(object)?.placement.segments;
const again = (old: WorkloadObject, hours: Record<number, number>): Outcome =>
  admit(update(old, annotated(old)), contextOf(forecast(hours), 1));
const warningsOf = (outcome: Outcome): string => (outcome.allowed ? outcome.warnings.join("\n") : "denied");

describe("a run that may pause, decided again before its start", () => {
  it("was split over the green hours", () => {
    expect(segmentsOf(waiting())).toEqual([
      { start: at(10), end: at(11) },
      { start: at(19.75), end: at(21) },
    ]);
  });

  it("stays while the forecast does: its plan is compared as it was split, and not as one run", () => {
    expect(warningsOf(again(waiting(), GREEN))).toMatch(/nothing is better \[STAYS\]/);
    // Another first hour that is as green saves nothing; one continuous run at hour 10 would emit 25 % more.
    expect(warningsOf(again(waiting(), { 8: 49.9, ...GREEN }))).toMatch(/\[STAYS\]/);
  });

  it("moves its pauses alone if another part becomes greener", () => {
    const old = waiting();
    const outcome = again(old, { ...GREEN, 30: 10 });
    expect(warningsOf(outcome)).toMatch(/moves from .* with 1 pause to .*% less CO2e \[MOVED\]/);
    expect(segmentsOf(patched(annotated(old), outcome))).toEqual([
      { start: at(10), end: at(11) },
      { start: at(29.75), end: at(31) },
    ]);
  });

  it("becomes one run if the pause no longer pays", () => {
    const old = waiting();
    const outcome = again(old, { 10: 50, 11: 40, 20: 50 });
    const { placement } = readDecision(patched(annotated(old), outcome)) ?? {};
    expect([placement?.start, placement?.end, placement?.segments]).toEqual([at(10), at(12), undefined]);
  });
});
