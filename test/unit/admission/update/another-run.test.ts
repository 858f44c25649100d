import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { guard } from "../../../../src/admission/guard.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { isPaused, startReason } from "../../../../src/model/decision-annotation/pause.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { annotated, asking, type Ended, endedRun } from "../../../support/ended-run.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";

const policy = withSchedule(await loadPolicy(), { waitingCostPercent: 0 });
const at = (hour: number): string => formatTime(NOW + hour * HOUR_SECONDS);
const RUN = { [ANNOTATION.run]: "2" };
const PAUSED = { [ANNOTATION.paused]: "true" };
const RESUMED = { [ANNOTATION.paused]: null };

/** For Germany, in hours since `from`: 200 g everywhere but for the hours that are named. */
function forecast(hours: Record<number, number>, from = 0): ForecastBook {
  const start = NOW + from * HOUR_SECONDS;
  const values = Array.from({ length: 72 }, (_, hour) => hours[hour] ?? 200);
  const zones = { DE: { issuedAt: start, start, stepSeconds: HOUR_SECONDS, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const SPEC = { cpu: 2, memory: 4, duration: "3h", provider: "gcp", schedulingLocation: "europe-west3" };
const first = (hours: Record<number, number> = {}): AdmissionContext => ({
  ...context(policy),
  forecasts: forecast(hours),
});
const later = ({ owners }: Ended, hour = 30, hours: Record<number, number> = {}): AdmissionContext => ({
  ...context(policy, NOW + hour * HOUR_SECONDS, owners),
  forecasts: forecast(hours, hour),
});
const placementOf = (object: WorkloadObject) => readDecision(object)?.placement;
const warningsOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? outcome.warnings : [outcome.message]);

/** The object as it is stored after each of these changes, both webhooks asked. */
function after(ended: Ended, changes: Record<string, string | null>[], hour = 30): WorkloadObject {
  return changes.reduce((old, one) => {
    const next = annotated(old, one);
    const result = patched(next, asking(old, next, later(ended, hour)));
    expect(guard(update(old, result), later(ended, hour))).toMatchObject({ allowed: true });
    return result;
  }, ended.object);
}

const ORDERS: [string, Record<string, string | null>[]][] = [
  ["the pause first", [PAUSED, RUN, RESUMED]],
  ["the run first", [RUN, PAUSED, RESUMED]],
  ["both in one apply", [{ ...PAUSED, ...RUN }, RESUMED]],
  ["the pause removed with the run", [PAUSED, { ...RUN, ...RESUMED }]],
];

describe.each(ORDERS)("another run of an object that its user pauses: %s", (_order, changes) => {
  it.each(["delete", "stop", "keep"])("is decided of its own where nothing is left, with whenDone: %s", (whenDone) => {
    const ended = endedRun({ spec: { ...SPEC, whenDone }, standing: "gone", context: first() });
    const result = after(ended, changes);
    expect(readDecision(result)?.run).toBe("2");
    expect(parseTime(placementOf(result)?.start ?? "")).toBeGreaterThanOrEqual(NOW + 30 * HOUR_SECONDS);
    expect(isPaused(result)).toBe(false);
  });

  it.each(["stop", "keep"])("is decided on the machine that is there, with whenDone: %s", (whenDone) => {
    const ended = endedRun({ spec: { ...SPEC, whenDone }, standing: "over", context: first() });
    const before = placementOf(ended.object);
    const result = after(ended, changes);
    expect(readDecision(result)?.run).toBe("2");
    expect(placementOf(result)).toMatchObject({
      ...{ start: at(30), end: at(33), provider: "gcp", region: "europe-west3" },
      ...{ instanceType: before?.instanceType, zone: before?.zone, image: before?.image },
    });
    expect(isPaused(result)).toBe(false);
  });
});

describe("another run of a cluster that is there", () => {
  const nodePools = [{ name: "a", cpu: 2, memory: 4, count: 1 }];
  const spec = { nodePools, duration: "3h", provider: "gcp", schedulingLocation: "europe-west3", deadline: at(20) };
  const ended = endedRun({ spec, kind: "KaasCluster", standing: "over", context: first() });

  it("is decided from now on, with its pools as they are, and by its own deadline", () => {
    const next = annotated(ended.object, RUN);
    const ask = (one: WorkloadObject): Outcome => asking(ended.object, one, later(ended));
    expect(ask(next)).toMatchObject({ allowed: false, codes: ["ADM_DEADLINE_PAST"] });
    const result = patched(next, ask({ ...next, spec: { ...next.spec, deadline: at(40) } }));
    expect(readDecision(result)).toMatchObject({
      run: "2",
      placement: { start: at(30), end: at(33), cluster: placementOf(ended.object)?.cluster },
    });
  });
});

describe("another run that was accepted while its machine was there, and is gone by now", () => {
  const kept = endedRun({ spec: { ...SPEC, whenDone: "keep" }, standing: "over", context: first() });

  it.each([
    ["by this version, which decides it then", after(kept, [{ ...RUN, ...PAUSED }], 20), at(20)],
    ["by an earlier one, with the decision of the first run", annotated(kept.object, { ...RUN, ...PAUSED }), at(30)],
  ])("has its own decision once its pause is removed: accepted %s", (_by, accepted, start) => {
    const gone = { ...kept, owners: { ...kept.owners, runOf: () => "gone" as const, runningOf: () => [] } };
    const old = { ...accepted, status: { ...(accepted.status as object), managed: [] } };
    const next = annotated(old, RESUMED);
    const result = patched(next, asking(old, next, later(gone)));
    expect(readDecision(result)).toMatchObject({ run: "2", placement: { start } });
    expect(isPaused(result)).toBe(false);
  });

  it("is decided once: what is applied again changes nothing", () => {
    const ended = endedRun({ spec: { ...SPEC, whenDone: "delete" }, standing: "gone", context: first() });
    const result = after(ended, [RUN]);
    expect(asking(result, result, later(ended, 31))).toMatchObject({ allowed: true, patch: [] });
    const labelled = { ...result, metadata: { ...result.metadata, labels: { team: "a" } } };
    expect(asking(result, labelled, later(ended, 31))).toMatchObject({ allowed: true, patch: [] });
  });

  it("is none if it is the recorded one again", () => {
    const ended = endedRun({ spec: { ...SPEC, whenDone: "delete" }, standing: "gone", context: first() });
    const recorded = { ...ended.owners, recordedRunOf: () => "2" };
    const old = annotated(ended.object, { [ANNOTATION.run]: "3" });
    const next = annotated(old, RUN);
    const result = patched(next, asking(old, next, { ...later(ended), owners: recorded }));
    expect(placementOf(result)).toEqual(placementOf(ended.object));
  });
});

describe("the pause of an object whose last run is over", () => {
  it("is its user's, also where the last run waited for its start, and another run keeps it", () => {
    const waits = { ...SPEC, whenDone: "delete", deadline: at(24) };
    const ended = endedRun({ spec: waits, standing: "gone", context: first({ 10: 50, 11: 50, 12: 50 }) });
    expect(readDecision(ended.object)?.held).toBe(true);
    const { deadline: _, ...spec } = ended.object.spec ?? {};
    const old = annotated(ended.object, PAUSED);
    const next = { ...annotated(old, RUN), spec };
    const result = patched(next, asking(old, next, later(ended)));
    expect(readDecision(result)).toMatchObject({ run: "2", held: false });
    expect(isPaused(result)).toBe(true);
  });
});

describe("landfall.dev/start-now of an earlier run", () => {
  const BECAUSE = { [ANNOTATION.startNow]: "the customer waits" };
  const spec = { ...SPEC, whenDone: "delete", deadline: at(80) };
  const green = { 10: 50, 11: 50, 12: 50 };
  const ended = endedRun({ spec, standing: "gone", context: first(), annotations: BECAUSE });
  const again = (changes: Record<string, string | null>): { outcome: Outcome; result: WorkloadObject } => {
    const next = annotated(ended.object, changes);
    const outcome = asking(ended.object, next, later(ended, 30, green));
    return { outcome, result: patched(next, outcome) };
  };
  const hurry = (old: WorkloadObject, changes: Record<string, string | null>): Outcome =>
    asking(old, annotated(old, changes), later(ended, 31, green));

  it("does not start another run, and apply says what to write", () => {
    const { outcome, result } = again(RUN);
    expect(placementOf(result)?.start).toBe(at(40));
    expect(isPaused(result)).toBe(true);
    // The annotation stays, and the controller does not take it for a reason either.
    expect([result.metadata.annotations?.[ANNOTATION.startNow], startReason(result)]).toEqual([
      "the customer waits",
      null,
    ]);
    expect(warningsOf(outcome).filter((text) => text.includes("[START_NOW_PAST]"))).toEqual([
      `landfall.dev/start-now was written for an earlier run, so that this one starts ${at(40)}; to start it now, write another reason in it [START_NOW_PAST]`,
    ]);
  });

  it("does not count later either: for a change, for the controller's question, or if it is written again", () => {
    const { result } = again(RUN);
    const tagged = { ...result, spec: { ...result.spec, tags: { team: "a" } } };
    for (const next of [tagged, annotated(result, { [ANNOTATION.reevaluate]: "if-better" })]) {
      const stored = patched(next, asking(result, next, later(ended, 31, { 9: 50, 10: 50, 11: 50 })));
      expect([placementOf(stored)?.start, isPaused(stored)]).toEqual([at(40), true]);
    }
    const bare = annotated(result, { [ANNOTATION.startNow]: null });
    const removed = patched(bare, asking(result, bare, later(ended, 31, green)));
    const outcome = hurry(removed, BECAUSE);
    expect(placementOf(patched(annotated(removed, BECAUSE), outcome))?.start).toBe(at(40));
    expect(warningsOf(outcome).join("\n")).toContain("[START_NOW_PAST]");
  });

  it("does not start a copy of the object, for instance from a backup", () => {
    const { result } = again(RUN);
    const { uid: _uid, creationTimestamp: _created, ...metadata } = result.metadata;
    const { status: _status, ...copy } = { ...result, metadata };
    const known = { ...later(ended, 31, { 9: 50, 10: 50, 11: 50 }), owners: NO_OWNERS };
    const stored = patched(copy, admit(create(copy), known));
    expect([placementOf(stored)?.start, isPaused(stored), startReason(stored)]).toEqual([at(40), true, null]);
  });

  it("starts it at once with another reason, also in the same change", () => {
    const other = { [ANNOTATION.startNow]: "the board waits" };
    expect(placementOf(again({ ...RUN, ...other }).result)?.start).toBe(at(30));
    const { result } = again(RUN);
    const started = patched(annotated(result, other), hurry(result, other));
    expect(placementOf(started)?.start).toBe(at(31));
    expect(readDecision(started)?.moves?.at(-1)?.why).toBe("start-now: the board waits");
  });
});

describe("the deadline of another run", () => {
  it.each(["over", "gone"] as const)("is not that of the last one: %s", (standing) => {
    const spec = { ...SPEC, whenDone: standing === "over" ? "stop" : "delete", deadline: at(20) };
    const ended = endedRun({ spec, standing, context: first() });
    const next = annotated(ended.object, RUN);
    const outcome = asking(ended.object, next, later(ended));
    expect(outcome).toMatchObject({ allowed: false, codes: ["ADM_DEADLINE_PAST"] });
    expect(warningsOf(outcome).join("")).toMatch(/spec\.deadline .* is in the past .*passes with: deadline 2026-/s);
    const longer = { ...next, spec: { ...next.spec, deadline: at(60) } };
    expect(patched(longer, asking(ended.object, longer, later(ended))).spec).toMatchObject({ deadline: at(60) });
  });

  it("has to leave time for its whole duration, on a machine that is there as well", () => {
    const ended = endedRun({
      spec: { ...SPEC, whenDone: "stop", deadline: at(32) },
      standing: "over",
      context: first(),
    });
    const outcome = asking(ended.object, annotated(ended.object, RUN), later(ended));
    expect(outcome).toMatchObject({ allowed: false, codes: ["ADM_DEADLINE_TOO_SHORT"] });
  });
});

describe("another run whose deadline passes while its user pauses it", () => {
  const ended = endedRun({ spec: { ...SPEC, whenDone: "stop", deadline: at(40) }, standing: "over", context: first() });
  const paused = after(ended, [{ ...PAUSED, ...RUN }], 30);

  it("begins late, as a first run does", () => {
    const next = annotated(paused, RESUMED);
    const result = patched(next, asking(paused, next, later(ended, 39)));
    expect(isPaused(result)).toBe(false);
    expect(readDecision(result)).toMatchObject({ run: "2", placement: { start: at(30) } });
  });

  it("is denied with a change of it", () => {
    const next = { ...annotated(paused, RESUMED), spec: { ...paused.spec, duration: "4h" } };
    expect(asking(paused, next, later(ended, 39))).toMatchObject({ allowed: false, codes: ["ADM_DEADLINE_TOO_SHORT"] });
  });
});

describe("the pauses of another run", () => {
  const spec = { ...SPEC, duration: "2h", whenDone: "stop", interruptible: { resumeCost: "15m" }, deadline: at(60) };
  const ended = endedRun({
    spec,
    standing: "over",
    context: first({ 10: 50, 36: 50 }),
    endedAt: NOW + 11 * HOUR_SECONDS,
  });

  it("are its own on the machine that is there, and none of the last run's", () => {
    expect(placementOf(ended.object)?.segments).toEqual([
      { start: at(10), end: at(11) },
      { start: at(35.75), end: at(37) },
    ]);
    const next = annotated(ended.object, RUN);
    const flat = placementOf(patched(next, asking(ended.object, next, later(ended, 12))));
    expect([flat?.start, flat?.end, flat?.segments]).toEqual([at(12), at(14), undefined]);
    const split = placementOf(patched(next, asking(ended.object, next, later(ended, 12, { 0: 50, 20: 50 }))));
    expect(split?.segments).toEqual([
      { start: at(12), end: at(13) },
      { start: at(31.75), end: at(33) },
    ]);
    expect(split?.end).toBe(at(33));
    expect(split?.gramsCO2).toBeLessThan(flat?.gramsCO2 ?? 0);
  });

  it("end before its machine has to go", () => {
    const kept = { ...spec, whenDone: "keep", maxLifetime: "40h" };
    const old = endedRun({ spec: kept, standing: "over", context: first({ 10: 50, 36: 50 }) });
    const next = annotated(old.object, RUN);
    const outcome = asking(old.object, next, later(old, 12, { 0: 50, 30: 50 }));
    expect(placementOf(patched(next, outcome))?.segments).toBeUndefined();
  });
});

it("a new object with landfall.dev/start-now starts at once, as before", () => {
  const object = vm({ ...SPEC, deadline: at(60) }, { annotations: { [ANNOTATION.startNow]: "now" } });
  expect(placementOf(patched(object, admit(create(object), first({ 10: 50 }))))?.start).toBe(at(0));
});
