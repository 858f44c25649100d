import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { ANNOTATION, type Kind } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, NOW, patched, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const START = formatTime(NOW + HOUR_SECONDS);
const LATER = formatTime(NOW + 20 * HOUR_SECONDS);
const PLACE = { provider: "azure", schedulingLocation: "italynorth" };
const SPECS: Record<Kind, Record<string, unknown>> = {
  VmTemplate: { cpu: 2, memory: 4, ...PLACE },
  KaasCluster: { nodePools: [{ name: "a", count: 1, cpu: 2, memory: 4 }], ...PLACE },
};

const ask = (kind: Kind, object: WorkloadObject, oldObject: WorkloadObject | null, nowSeconds: number) =>
  admit({ uid: "1", operation: oldObject ? "UPDATE" : "CREATE", kind, object, oldObject }, context(policy, nowSeconds));

/** Waits for its start, as the API server stores it. */
function waiting(kind: Kind): WorkloadObject {
  const object = { ...vm({ ...SPECS[kind], schedulingTime: START }, { uid: "u-1" }), kind };
  const stored = patched(object, ask(kind, object, null, NOW));
  expect(stored.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
  return stored;
}

const later = (object: WorkloadObject): WorkloadObject => ({
  ...object,
  spec: { ...object.spec, schedulingTime: LATER },
});

/** What a controller makes of it when it is due: no pause, and nothing installed yet. */
function resumed(object: WorkloadObject): WorkloadObject {
  const { [ANNOTATION.paused]: _paused, ...annotations } = object.metadata.annotations ?? {};
  const noted = { ...annotations, [ANNOTATION.started]: START };
  return { ...object, metadata: { ...object.metadata, annotations: noted } };
}

describe.each(["VmTemplate", "KaasCluster"] as const)("a later start for a %s", (kind) => {
  it("is accepted while the object waits, also when it is due", () => {
    const old = waiting(kind);
    const outcome = ask(kind, later(old), old, NOW + HOUR_SECONDS + 1);
    const next = patched(later(old), outcome);
    expect(outcome.decision?.placement?.start).toBe(LATER);
    expect(next.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
  });

  it("is denied once the object was resumed, before anything is installed", () => {
    const old = resumed(waiting(kind));
    // The API server repeats an update that met another one, with the object that the controller resumed meanwhile.
    const outcome = ask(kind, later(old), old, NOW + HOUR_SECONDS + 1);
    expect(outcome).toMatchObject({ allowed: false, codes: ["ADM_STARTED"] });
    expect(outcome.allowed ? "" : outcome.message).toContain(
      `spec.schedulingTime cannot change to ${LATER}: the object started at ${START}`,
    );
  });
});

describe("times without the effect that a user may expect", () => {
  const warningsOf = (spec: Record<string, unknown>): string[] => {
    const object = vm({ ...SPECS.VmTemplate, ...spec });
    const outcome = ask("VmTemplate", object, null, NOW);
    return outcome.allowed ? outcome.warnings.slice(1) : [outcome.message];
  };

  it("are a start in the past", () => {
    expect(warningsOf({ schedulingTime: "2026-11-01T00:00:00Z" })).toEqual([
      "spec.schedulingTime 2026-11-01T00:00:00Z has passed, so the object starts immediately; omit schedulingTime, or set a time to come [ADM_START_PAST]",
    ]);
  });

  it("are a deadline without a duration", () => {
    expect(warningsOf({ deadline: LATER })).toEqual([
      `spec.deadline ${LATER} has no effect without a duration: the object starts immediately, and nothing ends it; add duration, for example duration: 3h [ADM_DEADLINE_UNUSED]`,
    ]);
    expect(warningsOf({ deadline: LATER, schedulingTime: "2026-11-21T08:00:00Z" })).toEqual([
      `spec.deadline ${LATER} has no effect without a duration: schedulingTime fixes the start, and nothing ends it; add duration, for example duration: 3h [ADM_DEADLINE_UNUSED]`,
    ]);
  });

  it("are told only where they are", () => {
    expect(warningsOf({ schedulingTime: LATER })).toEqual([]);
    expect(warningsOf({ schedulingTime: START, duration: "1h", whenDone: "delete", deadline: LATER })).toEqual([]);
  });
});
