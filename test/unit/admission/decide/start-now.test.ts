import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { guard } from "../../../../src/admission/guard.ts";
import { HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { context, create, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const START = "2026-11-23T03:00:00Z";
const SPEC = { cpu: 2, memory: 4, duration: "3h", deadline: "2026-11-26T00:00:00Z", schedulingTime: START };
const BECAUSE = { [ANNOTATION.startNow]: "the customer waits" };
const SOON = "2026-11-20T23:00:00Z";

const stored = (spec: Record<string, unknown>): WorkloadObject =>
  patched(vm(spec), admit(create(vm(spec)), context(policy)));

const annotate = (object: WorkloadObject, annotations: Record<string, string>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
});

const ask = (old: WorkloadObject, next: WorkloadObject, nowSeconds = NOW + HOUR_SECONDS) =>
  admit(update(old, next), context(policy, nowSeconds));

const decisionOf = (object: WorkloadObject) => readDecision(object);

/** Waits for a start that the scheduler chose. */
function waiting(): WorkloadObject {
  const { schedulingTime: _, ...spec } = SPEC;
  const object = stored({ ...spec, provider: "azure", schedulingLocation: "germanywestcentral" });
  expect(object.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
  return object;
}

describe("landfall.dev/start-now on an object that waits", () => {
  it("is decided again for now, reports the costs, and leaves the pause to the controller", () => {
    const old = waiting();
    const outcome = ask(old, annotate(old, BECAUSE));
    const object = patched(annotate(old, BECAUSE), outcome);
    expect(object.spec?.["schedulingTime"]).toBe(SOON);
    expect(object.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    const start = String(old.spec?.["schedulingTime"]);
    expect(decisionOf(object)).toMatchObject({
      placement: { start: SOON, end: "2026-11-21T02:00:00Z" },
      moves: [{ at: SOON, from: { start }, to: { start: SOON }, why: "start-now: the customer waits" }],
    });
    expect(decisionOf(object)?.moves?.[0]?.gain).toBeLessThan(0);
    const warnings = outcome.allowed ? outcome.warnings.join("\n") : "";
    expect(warnings).toMatch(/starts now and not at \S+Z: [\d.]+ g CO2e instead of [\d.]+ g CO2e \[START_NOW\]/);
    expect(guard(update(old, object), context(policy))).toMatchObject({ allowed: true });
  });

  it("ends a user's hold, unlike a change of the spec", () => {
    const old = annotate(waiting(), { [ANNOTATION.hold]: "audit" });
    const hurried = annotate(old, BECAUSE);
    const { annotations } = patched(hurried, ask(old, hurried)).metadata;
    expect(annotations?.[ANNOTATION.hold]).toBeUndefined();
    const { deadline: _, schedulingTime: __, ...spec } = old.spec ?? {};
    const changed = { ...old, spec: { ...spec, cpu: 1 } };
    const object = patched(changed, ask(old, changed));
    expect(object.metadata.annotations).toMatchObject({ [ANNOTATION.paused]: "true", [ANNOTATION.hold]: "audit" });
    expect(decisionOf(object)).toMatchObject({ placement: { start: SOON }, held: true });
  });

  it("keeps the user's start in the spec, and still decides for now", () => {
    const old = stored(SPEC);
    const object = patched(annotate(old, BECAUSE), ask(old, annotate(old, BECAUSE)));
    expect(object.spec?.["schedulingTime"]).toBe(START);
    expect(decisionOf(object)?.placement.start).toBe(SOON);
    expect(guard(update(old, object), context(policy))).toMatchObject({ allowed: true });
  });

  it("changes nothing more when the object is applied again, with or without the annotation", () => {
    const old = waiting();
    const hurried = patched(annotate(old, BECAUSE), ask(old, annotate(old, BECAUSE)));
    const { [ANNOTATION.paused]: _, ...annotations } = hurried.metadata.annotations ?? {};
    const runs = { ...hurried, metadata: { ...hurried.metadata, annotations } };
    const later = NOW + 2 * HOUR_SECONDS;
    expect(ask(hurried, runs, later)).toMatchObject({ allowed: true, patch: [], decision: null });
    const { schedulingTime: _start, ...spec } = SPEC;
    const manifest = vm({ ...spec, provider: "azure", schedulingLocation: "germanywestcentral" });
    const again = patched(manifest, ask(runs, manifest, later));
    expect(again.spec).toEqual(runs.spec);
    expect(again.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
    expect(decisionOf(again)).toEqual(decisionOf(runs));
  });

  it("has no effect once the object runs", () => {
    const old = waiting();
    const { [ANNOTATION.paused]: _, ...annotations } = old.metadata.annotations ?? {};
    const runs = { ...old, metadata: { ...old.metadata, annotations } };
    expect(ask(runs, annotate(runs, BECAUSE), NOW + 100 * HOUR_SECONDS)).toMatchObject({ allowed: true, patch: [] });
  });

  it.each(["", "   ", "\n"])("is refused without a reason: %j", (reason) => {
    const old = waiting();
    const next = annotate(old, { [ANNOTATION.startNow]: reason });
    const outcome = ask(old, next);
    expect(outcome).toMatchObject({ allowed: false, codes: ["ADM_START_REASON"] });
    expect(outcome.allowed ? "" : outcome.message).toContain(
      "annotation landfall.dev/start-now does not give a reason",
    );
  });
});

describe("landfall.dev/start-now on a new object", () => {
  it("starts it at once in the best place for now, without a hold", () => {
    const { schedulingTime: _, ...spec } = SPEC;
    const object = vm(spec, { annotations: BECAUSE });
    const decided = patched(object, admit(create(object), context(policy)));
    expect(decided.spec?.["schedulingTime"]).toBe("2026-11-20T22:00:00Z");
    expect(decided.metadata.annotations?.[ANNOTATION.paused]).toBeUndefined();
    const explained = decideAlone({ ...context(policy), kind: "VmTemplate", object, operation: "CREATE" });
    expect(explained.placement).toEqual(decisionOf(decided)?.placement);
  });

  it("is refused without a reason", () => {
    const object = vm(SPEC, { annotations: { [ANNOTATION.startNow]: "" } });
    expect(admit(create(object), context(policy))).toMatchObject({ allowed: false, codes: ["ADM_START_REASON"] });
  });
});
