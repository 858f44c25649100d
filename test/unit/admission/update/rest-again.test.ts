import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import type { DecisionOwners } from "../../../../src/model/decision-annotation/standing.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { Pause } from "../../../../src/model/runs/run-times.ts";
import { HOUR_SECONDS, formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, INSTALLED, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";

const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const time = (hour: number): number => NOW + hour * HOUR_SECONDS;
const at = (hour: number): string => formatTime(time(hour));

/** For Germany: 200 g everywhere but for the hours that are named. */
function forecast(hours: Record<number, number>): ForecastBook {
  const values = Array.from({ length: 96 }, (_, hour) => hours[hour] ?? 200);
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 96 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "4h", deadline: at(48), provider: "gcp", schedulingLocation: "europe-west3" },
  interruptible: { resumeCost: "15m" },
};
/** Decided to run in hours 2 and 3, and in hours 10 and 11. */
const GREEN = { 2: 50, 3: 50, 10: 50, 11: 50 };
const DECIDED = [
  { start: at(1.75), end: at(4) },
  { start: at(10), end: at(12) },
];

interface Recorded {
  startedAt?: number;
  pauses?: Pause[];
  limit?: number | null;
}

/** The controller recorded that the run started then, with these pauses. */
function owners({
  startedAt = time(1.75),
  pauses = [{ from: time(4), to: time(10) }],
  limit = null,
}: Recorded): DecisionOwners {
  const plan = { duration: 4 * HOUR_SECONDS, pauses, resume: 900 };
  return { ...INSTALLED, runOf: () => "running", timesOf: () => ({ plan, startedAt, limit }) };
}

const contextOf = (hours: Record<number, number>, hour: number, recorded: Recorded = {}): AdmissionContext => ({
  ...context(policy, time(hour), owners(recorded)),
  forecasts: forecast(hours),
});

const UID = "5f5f";

/** As it is stored while it runs: resumed by the controller, and installed. */
function running(spec: Record<string, unknown> = {}, hours: Record<number, number> = GREEN): WorkloadObject {
  const asked = vm({ ...SPEC, ...spec }, { uid: UID });
  const stored = patched(asked, admit(create(asked), contextOf(hours, 0)));
  const { [ANNOTATION.paused]: _paused, ...annotations } = stored.metadata.annotations ?? {};
  return { ...stored, metadata: { ...stored.metadata, annotations }, status: { managed: [{}] } };
}

const annotated = (object: WorkloadObject): WorkloadObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, [ANNOTATION.reevaluate]: "if-better" },
  },
});
const again = (object: WorkloadObject, hours: Record<number, number>, hour: number, recorded: Recorded = {}): Outcome =>
  admit(update(object, annotated(object)), contextOf(hours, hour, recorded));
const told = (outcome: Outcome): string => (outcome.allowed ? outcome.warnings.join("\n") : outcome.message);
const placementOf = (object: WorkloadObject) => readDecision(object)?.placement;
const after = (object: WorkloadObject, outcome: Outcome) => placementOf(patched(annotated(object), outcome));

describe("the rest of a run that has begun", () => {
  it("was planned with one pause", () => {
    expect(placementOf(running())?.segments).toEqual(DECIDED);
  });

  it("stays while the forecast does, while it runs and while it is paused, and is not written", () => {
    for (const hour of [3, 6]) {
      const outcome = again(running(), GREEN, hour);
      expect(told(outcome)).toBe("the rest of its run stays as it is planned: nothing is better [STAYS]");
      expect(outcome).toMatchObject({ decision: null });
    }
  });

  it("moves the end of a pause if another hour becomes greener, and keeps what has happened", () => {
    const object = running();
    const outcome = again(object, { ...GREEN, 20: 10, 21: 10 }, 6);
    expect(told(outcome)).toMatch(
      new RegExp(`it pauses ${at(4)} to ${at(20)}, and ends ${at(22)}: .*% less CO2e, .*\\[MOVED\\]`),
    );
    const placement = after(object, outcome);
    expect(placement).toMatchObject({ start: at(1.75), end: at(22) });
    expect(placement?.segments).toEqual([
      { start: at(1.75), end: at(4) },
      { start: at(20), end: at(22) },
    ]);
    expect(placement?.gramsCO2).toBeLessThan(placementOf(object)?.gramsCO2 ?? 0);
    const stored = patched(annotated(object), outcome);
    expect(stored.spec).toEqual(object.spec);
    expect(readDecision(stored)?.moves).toMatchObject([{ why: "forecast, rest of the run" }]);
    expect(stored.metadata.annotations?.[ANNOTATION.reevaluate]).toBeUndefined();
  });

  it("says in the line of apply what is planned now, also after another change of the object", () => {
    const object = running();
    const line = told(again(object, { ...GREEN, 20: 10, 21: 10 }, 6)).split("\n")[0];
    expect(line).toMatch(/^started 2026-11-20T23:45Z: .*; ends 2026-11-21T20:00Z; 1 pause; gcp\/europe-west3$/);
    const bigger = { ...object, spec: { ...object.spec, cpu: 4, memory: 8 } };
    const resized = admit(update(object, bigger), contextOf(GREEN, 6));
    expect(told(resized)).toMatch(/ends 2026-11-21T10:00Z; 1 pause/);
  });

  it("continues at once if it becomes green now", () => {
    const object = running();
    const outcome = again(object, { ...GREEN, 6: 20, 7: 20, 8: 20 }, 6);
    expect(after(object, outcome)?.segments).toEqual([
      { start: at(1.75), end: at(4) },
      { start: at(6), end: at(8) },
    ]);
  });

  it("pauses once more if what is left becomes dirty, as far as its pauses allow it", () => {
    const hours = { ...GREEN, 10: 900, 11: 900, 30: 10, 31: 10 };
    const recorded = { pauses: [{ from: time(3), to: time(8) }] };
    // In its second part, after one pause: an hour of work is left at 10:15.
    const more = running({ interruptible: { resumeCost: "15m", maxPauses: 2 } });
    expect(after(more, again(more, hours, 10, recorded))?.segments?.slice(1)).toEqual([
      { start: at(8), end: at(10) },
      { start: at(30), end: at(31.25) },
    ]);
    const none = running({ interruptible: { resumeCost: "15m", maxPauses: 1 } });
    expect(told(again(none, hours, 10, recorded))).toMatch(/nothing is better \[STAYS\]/);
  });

  it.each([
    ["20m", ["ADM_IGNORED"]],
    ["5h", ["ADM_IGNORED"]],
    ["240m", []],
  ])("keeps its duration, with which its pauses were decided: %s", (duration, codes) => {
    const object = running();
    const outcome = admit(update(object, { ...object, spec: { ...object.spec, duration } }), contextOf(GREEN, 3));
    expect(outcome.allowed ? [] : outcome.codes).toEqual(codes);
  });

  it("gives up its pauses if it started too late for its deadline", () => {
    const object = running({ deadline: at(13) });
    // It started almost two hours late: with the pause, it would end after its deadline.
    const late = { startedAt: time(3.75), pauses: [{ from: time(4), to: time(9.75) }] };
    const outcome = again(object, GREEN, 3.9, late);
    // Work, a resume and the reserve: the rest ends before the deadline, and would not as it is planned.
    expect(told(outcome)).toMatch(/, so that it ends in time \[MOVED\]/);
    expect(Date.parse(after(object, outcome)?.end ?? "") / 1000).toBeLessThanOrEqual(time(13) - 1800);
    expect(readDecision(patched(annotated(object), outcome))?.moves).toMatchObject([{ why: "deadline" }]);
    const last = again(running({ deadline: at(8) }, {}), {}, 3.9, {
      ...late,
      pauses: [{ from: time(4), to: time(5) }],
    });
    expect(told(last)).toMatch(/it does not pause any more, and ends 2026-11-21T05:45:00Z: .*\[MOVED\]/);
  });

  it("ends before maxLifetime, counted from its first start", () => {
    const object = running();
    const limited = again(object, { ...GREEN, 20: 10, 21: 10 }, 6, { limit: time(14) });
    expect(told(limited)).toMatch(/nothing is better \[STAYS\]/);
  });

  it("needs twice as much after each change of a day", () => {
    let object = running();
    const hours: Record<number, number> = { ...GREEN };
    const moved = [14, 18, 22, 26, 30, 34, 38].map((green, index) => {
      hours[green] = hours[green + 1] = 48 - 2 * index;
      const outcome = again(object, hours, 6, { pauses: pausesOf(object) });
      if (!told(outcome).includes("[MOVED]")) return false;
      object = { ...patched(annotated(object), outcome), status: object.status };
      return true;
    });
    // Each of these plans saves about 1.5 % more than the one before; 1, 2, 4 and 8 % are needed.
    expect(moved).toEqual([true, false, true, false, false, true, false]);
    expect(told(again(object, hours, 6, { pauses: pausesOf(object) }))).toMatch(/another plan saves .* are needed/);
  });

  it.each([
    ["is about to pause", 3.99, {}],
    ["is about to resume", 9.995, {}],
    ["resumes", 10.1, {}],
    ["began just now", 1.76, {}],
  ])("stays while it %s", (_what, hour, recorded) => {
    const outcome = again(running(), { ...GREEN, 20: 1, 21: 1, 22: 1, 23: 1 }, hour, recorded);
    expect(told(outcome)).toMatch(/begins, pauses, resumes or ends just now \[STAYS\]/);
  });

  it("stays for a run without pauses, for one that is over, and while its user pauses it", () => {
    const object = running();
    const hours = { ...GREEN, 20: 10, 21: 10 };
    const over = { ...contextOf(hours, 6), owners: { ...INSTALLED, timesOf: () => null } };
    expect(told(admit(update(object, annotated(object)), over))).toMatch(/its start has come, so it is not moved/);
    const metadata = {
      ...object.metadata,
      annotations: { ...object.metadata.annotations, [ANNOTATION.paused]: "true" },
    };
    expect(told(again({ ...object, metadata }, hours, 6))).toMatch(/its user pauses it \[STAYS\]/);
  });

  it("stays where carbon does not count", () => {
    const object = running({ optimizeFor: "cost" });
    const recorded = { startedAt: time(0), pauses: [] };
    expect(told(again(object, { ...GREEN, 20: 1, 21: 1 }, 1, recorded))).toMatch(/its carbon does not count/);
  });
});

/** The pauses that the object's decision has. */
function pausesOf(object: WorkloadObject): Pause[] {
  const segments = placementOf(object)?.segments ?? [];
  return segments.slice(1).map(({ start }, index) => ({
    from: Date.parse(segments[index]?.end ?? "") / 1000,
    to: Date.parse(start) / 1000,
  }));
}
