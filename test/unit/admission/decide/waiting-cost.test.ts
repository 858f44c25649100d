import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

// As shipped: a day of waiting has to save 6 %.
const policy = await loadPolicy();
const at = (hour: number): string => formatTime(NOW + hour * HOUR_SECONDS);

/** For Germany: 200 g everywhere but for the hours that are named. */
function forecast(hours: Record<number, number>): ForecastBook {
  const values = Array.from({ length: 144 }, (_, hour) => hours[hour] ?? 200);
  const zones = { DE: { issuedAt: NOW, start: NOW, stepSeconds: HOUR_SECONDS, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 48 * HOUR_SECONDS, zones, problems: {}, problem: null }] };
}

const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "1h", deadline: at(72) },
  ...{ provider: "gcp", schedulingLocation: "europe-west3" },
};

const contextOf = (
  hours: Record<number, number>,
  annotations: Record<string, string> = {},
  more: Partial<AdmissionContext> = {},
): AdmissionContext => ({
  ...context(policy),
  forecasts: forecast(hours),
  namespace: { name: "demo", labels: {}, annotations },
  ...more,
});

const startIn = (outcome: Outcome): string | undefined => outcome.decision?.placement?.start;
const decided = (hours: Record<number, number>, annotations: Record<string, string> = {}, spec: object = {}): Outcome =>
  admit(create(vm({ ...SPEC, ...spec })), contextOf(hours, annotations));

describe("schedule.waitingCostPercent, as shipped", () => {
  it("lets an object wait a day for a saving of more than 6 %, and tells what a day has to save", () => {
    expect(startIn(decided({ 24: 189 }))).toBe(at(0));
    const waits = decided({ 24: 187 });
    expect(startIn(waits)).toBe(at(24));
    const { gramsCO2, carbon } = waits.decision?.placement ?? { gramsCO2: null, carbon: null };
    expect(carbon?.waitingGramsPerDay).toBeCloseTo(((gramsCO2 ?? 0) / 187) * 12, 3);
  });

  it("does not let three hours of work wait 4 d 22 h to emit 0.50 instead of 0.51 g", () => {
    const hours = { 118: 196, 119: 196, 120: 196 };
    const asked = { duration: "3h", deadline: at(122) };
    expect(startIn(decided(hours, {}, { ...asked, waitingCostPercent: 0 }))).toBe(at(118));
    expect(startIn(decided(hours, {}, asked))).toBe(at(0));
  });

  it.each<[string, Record<string, string>, number]>([
    ["0 in the namespace: waiting costs nothing", { "landfall.dev/waiting-cost-percent": "0" }, 24],
    ["50 in the namespace: a day has to save half", { "landfall.dev/waiting-cost-percent": "50" }, 0],
  ])("%s", (_, annotations, hour) => {
    expect(startIn(decided({ 24: 190 }, annotations))).toBe(at(hour));
    expect(startIn(decided({ 24: 120 }))).toBe(at(24));
  });

  it.each(["cost", "latency"])("never lets an object wait that optimizes for %s", (optimizeFor) => {
    for (const annotations of [{}, { "landfall.dev/waiting-cost-percent": "0" }])
      expect(startIn(decided({ 3: 1, 24: 1 }, annotations, { optimizeFor }))).toBe(at(0));
  });

  it("counts the carbon part alone for balanced", () => {
    expect(startIn(decided({ 24: 180 }, {}, { optimizeFor: "balanced" }))).toBe(at(0));
    expect(startIn(decided({ 24: 100 }, {}, { optimizeFor: "balanced" }))).toBe(at(24));
  });

  it("is not applied to a policy that knows no cost of waiting", () => {
    const evaluate: typeof policy.evaluate = (input) => {
      const result = policy.evaluate(input);
      const { waitingCostPercent: _, maxWaitSeconds: _limit, ...schedule } = result.schedule;
      return { ...result, schedule };
    };
    const older = { ...policy, evaluate };
    expect(startIn(admit(create(vm(SPEC)), contextOf({ 24: 199 }, {}, { policy: older })))).toBe(at(24));
  });
});

describe("landfall.dev/max-wait", () => {
  const LATER = { 3: 150, 24: 10 };

  it.each([
    ["6h", 3],
    ["90m", 0],
    ["0h", 0],
    ["1d", 24],
  ])("of %s is a limit of the wait", (limit, hour) => {
    expect(startIn(decided(LATER, { "landfall.dev/max-wait": limit }))).toBe(at(hour));
  });

  it("gives no slack to an object without a deadline", () => {
    const { deadline: _, ...spec } = SPEC;
    const outcome = admit(create(vm(spec)), contextOf(LATER, { "landfall.dev/max-wait": "2d" }));
    expect(startIn(outcome)).toBe(at(0));
  });

  it.each([
    ["landfall.dev/max-wait", "12 hours"],
    ["landfall.dev/max-wait", "-2h"],
    ["landfall.dev/waiting-cost-percent", "-1"],
    ["landfall.dev/waiting-cost-percent", "ten"],
  ])("and the cost are checked: %s of %s is denied with the values that are valid", (key, value) => {
    const outcome = decided({}, { [key]: value });
    expect(outcome.allowed).toBe(false);
    expect(outcome.allowed ? "" : outcome.message).toContain(`${key} to ${value}; valid values:`);
    expect(outcome.allowed ? "" : outcome.message).toContain("POL_NAMESPACE_SETTING");
  });
});

describe("waitingCostPercent and maxWait of an object", () => {
  it("set its own cost, whatever the namespace says", () => {
    const namespace = { "landfall.dev/waiting-cost-percent": "50" };
    expect(startIn(decided({ 24: 190 }, namespace, { waitingCostPercent: 0 }))).toBe(at(24));
    expect(startIn(decided({ 24: 150 }, {}, { waitingCostPercent: 30 }))).toBe(at(0));
  });

  it("limit its wait, and can only shorten the limit of the namespace", () => {
    expect(startIn(decided({ 3: 150, 24: 10 }, {}, { maxWait: "6h" }))).toBe(at(3));
    expect(startIn(decided({ 3: 150, 24: 10 }, { "landfall.dev/max-wait": "6h" }, { maxWait: "2d" }))).toBe(at(3));
    expect(startIn(decided({ 3: 150, 24: 10 }, {}, { maxWait: "0h" }))).toBe(at(0));
  });

  it("limit the wait of another run from when it was asked for, also when it is decided again", () => {
    const { deadline: _, ...spec } = { ...SPEC, maxWait: "6h", whenDone: "delete" };
    const first = admit(create(vm(spec)), contextOf({}));
    const created = { uid: "u", creationTimestamp: at(0) };
    const old = patched(vm(spec), first);
    const over = { ...old, metadata: { ...old.metadata, ...created }, status: { run: { ended: at(2) } } };
    const annotated = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
    });
    const then = (hour: number): AdmissionContext => {
      const owners = { ...NO_OWNERS, ownerOf: () => "u", runOf: () => "gone" as const };
      return contextOf({ 33: 150, 39: 10 }, {}, { nowSeconds: NOW + hour * HOUR_SECONDS, owners });
    };
    const asked = annotated(over, { [ANNOTATION.run]: "2" });
    const second = admit(update(over, asked), then(30));
    expect(startIn(second)).toBe(at(33));
    const waiting = patched(asked, second);
    expect(readDecision(waiting)).toMatchObject({ run: "2", askedAt: at(30) });
    const changed = { ...waiting, spec: { ...waiting.spec, maxWait: "10h" } };
    const third = admit(update(waiting, changed), then(31));
    expect(startIn(third)).toBe(at(39));
    expect(readDecision(patched(changed, third))).toMatchObject({ askedAt: at(30) });
  });

  it("let an object without a deadline wait up to its own limit", () => {
    const { deadline: _, ...spec } = SPEC;
    const start = (maxWait: string): string | undefined =>
      startIn(admit(create(vm({ ...spec, maxWait })), contextOf({ 3: 150, 24: 10 })));
    expect([start("6h"), start("2d")]).toEqual([at(3), at(24)]);
  });

  /** The fields of SPEC but for those that are undefined. */
  const warnings = (fields: object): string[] => {
    const spec = JSON.parse(JSON.stringify({ ...SPEC, ...fields })) as Record<string, unknown>;
    const outcome = admit(create(vm(spec)), contextOf({}));
    return outcome.allowed ? outcome.warnings : [outcome.message];
  };

  it.each([
    [
      "reaches beyond the deadline",
      { maxWait: "4d" },
      `the deadline needs a start by ${at(71)}, which is sooner; write maxWait: 70h or less, or omit maxWait`,
    ],
    ["has no duration", { maxWait: "4h", duration: undefined }, "starts immediately; write spec.duration as well"],
    ["has a fixed start", { maxWait: "4h", schedulingTime: at(2) }, "schedulingTime fixes the start; write no schedul"],
  ])("warn where the limit %s, and tell what to write instead", (_, spec, text) => {
    const found = warnings(spec);
    expect(found.join()).toContain(`spec.maxWait ${spec.maxWait} has no effect: `);
    expect(found.join()).toContain(text);
    expect(found.join()).toContain("[ADM_MAX_WAIT_UNUSED]");
  });

  it("advise a limit that no later application of the object makes too long", () => {
    const spec = JSON.parse(JSON.stringify({ ...SPEC, maxWait: "70h" })) as Record<string, unknown>;
    const later = { ...contextOf({}), nowSeconds: NOW + 4 * 60 };
    const outcome = admit(create(vm(spec)), later);
    expect(outcome.allowed && outcome.warnings.join()).not.toContain("ADM_MAX_WAIT_UNUSED");
    expect(warnings({ maxWait: "6h", deadline: at(1.05) }).join()).toContain("write a later deadline, or omit maxWait");
  });

  it("give no warning that is of no use", () => {
    for (const spec of [{}, { maxWait: "71h" }, { maxWait: "0h" }])
      expect(warnings(spec).join()).not.toContain("ADM_MAX_WAIT_UNUSED");
  });

  it.each([
    [{ maxWait: "12 hours" }, "ADM_DURATION", 'spec.maxWait "12 hours" is not a valid duration; write maxWait: 12h'],
    [{ maxWait: "P" }, "ADM_DURATION", 'spec.maxWait "P" is not a valid duration'],
    [{ maxWait: "-3h" }, "ADM_DURATION", "is not more than zero; write 12h, 90m, 1d12h or PT12H"],
    [{ waitingCostPercent: -1 }, "ADM_SCHEMA", "spec.waitingCostPercent"],
    [{ waitingCostPercent: 1.5 }, "ADM_SCHEMA", "spec.waitingCostPercent"],
    [{ waitingCostPercent: "10" }, "ADM_SCHEMA", "spec.waitingCostPercent"],
  ])("are denied if they are %o", (spec, code, text) => {
    const outcome = decided({}, {}, spec);
    expect(outcome.allowed ? "" : outcome.message).toContain(code);
    expect(outcome.allowed ? "" : outcome.message).toContain(text);
  });
});

describe("landfall.dev/reevaluate: if-better, with the cost of waiting", () => {
  const annotated = (object: WorkloadObject): WorkloadObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      creationTimestamp: at(0),
      annotations: { ...object.metadata.annotations, [ANNOTATION.reevaluate]: "if-better" },
    },
  });

  /** Decided when hour 20 was the best one with 100 g, then again an hour later. */
  function again(hours: Record<number, number>, annotations: Record<string, string> = {}): WorkloadObject {
    const object = vm(SPEC, { uid: "1" });
    const stored = patched(object, admit(create(object), contextOf({ 20: 100 }, annotations)));
    const old = { ...stored, metadata: { ...stored.metadata, creationTimestamp: at(0) } };
    expect(old.spec?.["schedulingTime"]).toBe(at(20));
    const asked = contextOf(hours, annotations, { nowSeconds: NOW + HOUR_SECONDS });
    return patched(annotated(old), admit(update(old, annotated(old)), asked));
  }

  const startOf = (object: WorkloadObject): unknown => object.spec?.["schedulingTime"];

  it("moves only if the saving exceeds the longer wait", () => {
    // Ten hours cost 5 g.
    expect(startOf(again({ 20: 100, 30: 96 }))).toBe(at(20));
    expect(startOf(again({ 20: 100, 30: 80 }))).toBe(at(30));
  });

  it("moves to an earlier start that emits a little more, and tells the gain with the wait counted", () => {
    const object = again({ 8: 103, 20: 100 });
    expect(startOf(object)).toBe(at(8));
    // 12 hours at 12 g a day, less the 3 g.
    expect(readDecision(object)?.moves).toMatchObject([
      { why: "forecast, waiting counted", gain: expect.closeTo(0.03, 3) as number },
    ]);
  });

  it("uses the same rule as the first decision: it returns to where a new object would start", () => {
    for (const hours of [
      { 8: 103, 20: 100 },
      { 20: 100, 30: 80 },
      { 1: 110, 20: 100 },
    ]) {
      const fresh = admit(create(vm(SPEC)), contextOf(hours, {}, { nowSeconds: NOW + HOUR_SECONDS }));
      expect(startOf(again(hours)) ?? at(1)).toBe(startIn(fresh));
    }
  });

  it("counts the limit of waiting from the creation, whatever a user writes there", () => {
    const annotations = { "landfall.dev/max-wait": "21h" };
    expect(startOf(again({ 20: 100, 22: 10 }, annotations))).toBe(at(20));
    const object = vm(SPEC, { uid: "1" });
    const stored = patched(object, admit(create(object), contextOf({ 20: 100 }, annotations)));
    const old = { ...stored, metadata: { ...stored.metadata, creationTimestamp: at(0) } };
    const forged = annotated({ ...old, metadata: { ...old.metadata, creationTimestamp: at(1) } });
    const asked = contextOf({ 20: 100, 22: 10 }, annotations, { nowSeconds: NOW + HOUR_SECONDS });
    expect(startOf(patched(forged, admit(update(old, forged), asked)))).toBe(at(20));
  });
});
