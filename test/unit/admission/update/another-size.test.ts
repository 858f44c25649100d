import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../src/admission/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime, HOUR_SECONDS } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { askingSize, context, create, INSTALLED, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const SPEC = {
  ...{ cpu: 2, memory: 4, duration: "12h", deadline: formatTime(NOW + 96 * HOUR_SECONDS), waitingCostPercent: 0 },
  ...{ provider: "gcp", schedulingLocation: "europe-southwest1", interruptible: {} },
};
const contextAt = (hour: number) => context(policy, NOW + hour * HOUR_SECONDS, INSTALLED);

/** As it is stored once it is installed. */
function installed(spec: Record<string, unknown> = {}): WorkloadObject {
  const asked = vm({ ...SPEC, ...spec }, { uid: "u1" });
  const outcome = admit(create(asked), contextAt(0));
  if (!outcome.allowed) throw new TypeError(outcome.message);
  const stored = patched(asked, outcome);
  const { [ANNOTATION.paused]: _paused, ...annotations } = stored.metadata.annotations ?? {};
  return { ...stored, metadata: { ...stored.metadata, annotations }, status: { managed: [{}] } };
}

const asking = (object: WorkloadObject, hour = 30): WorkloadObject => askingSize(object, NOW + hour * HOUR_SECONDS);
const ask = (object: WorkloadObject, hour = 30): Outcome =>
  admit(update(object, asking(object, hour)), contextAt(hour));
const told = (outcome: Outcome): string => (outcome.allowed ? outcome.warnings.join("\n") : outcome.message);
const after = (object: WorkloadObject, outcome: Outcome): WorkloadObject => patched(asking(object), outcome);

describe("another size of a machine that its provider has none of", () => {
  it("is the cheapest other one of its series in the same place, with the same pauses", () => {
    const object = installed();
    expect(object.spec?.["instanceType"]).toBe("e2-standard-2");
    const outcome = ask(object);
    expect(told(outcome)).toMatch(/^e2-\S+ instead of e2-standard-2, of which gcp has none there now \[RESIZED\]$/m);
    const changed = after(object, outcome);
    expect(changed.spec?.["instanceType"]).toMatch(/^e2-(?!standard-2$)/);
    expect(changed.spec).toMatchObject({ zone: object.spec?.["zone"], schedulingLocation: "europe-southwest1" });
    const [before, now] = [object, changed].map((one) => readDecision(one)?.placement);
    expect(now?.segments).toEqual(before?.segments);
    expect(now?.pricePerHour).toBeGreaterThan(0);
    expect(changed.metadata.annotations).not.toHaveProperty(ANNOTATION.reevaluate);
  });

  it("is a third one if there is none of the second either, and any of them again a day later", () => {
    const first = installed();
    const second = after(first, ask(first));
    const third = after(second, ask(second));
    const types = [first, second, third].map(({ spec }) => spec?.["instanceType"]);
    expect(new Set(types).size).toBe(3);
    expect(readDecision(third)?.moves?.map(({ why }) => why)).toEqual([
      `no capacity: ${String(types[0])}`,
      `no capacity: ${String(types[1])}`,
    ]);
    const later = after(third, ask(third, 30 + 25));
    expect(types.slice(0, 2)).toContain(later.spec?.["instanceType"]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["its user fixed the type", { instanceType: "e2-standard-2" }, /its user fixed the type \[STAYS\]/],
    ["its operator cannot change it", { provider: "elemento", schedulingLocation: "ovh-fr-strasbourg" }, /\[STAYS\]/],
    ["its price limit allows no other one", { maxPrice: "0.09" }, /no other one of its series is allowed.*\[STAYS\]/],
  ])("is none if %s", (_what, spec, text) => {
    const object = installed(spec);
    const outcome = ask(object);
    expect(told(outcome)).toMatch(text);
    expect(after(object, outcome).spec).toEqual(object.spec);
  });

  it("is none for an object that waits for its start, which keeps its pause", () => {
    const asked = vm(
      { ...SPEC, schedulingTime: formatTime(NOW + 40 * HOUR_SECONDS), interruptible: undefined },
      { uid: "u1" },
    );
    const waiting = patched(asked, admit(create(asked), contextAt(0)));
    expect(waiting.metadata.annotations?.[ANNOTATION.paused]).toBe("true");
    const outcome = ask(waiting);
    expect(told(outcome)).toMatch(/it has not started \[STAYS\]/);
    const { metadata, spec } = after(waiting, outcome);
    expect([metadata.annotations, spec]).toEqual([waiting.metadata.annotations, waiting.spec]);
  });

  it("is not decided for an object that changes at the same time", () => {
    const object = installed();
    const both = asking({ ...object, spec: { ...object.spec, cpu: 4 } });
    const outcome = admit(update(object, both), contextAt(30));
    expect(told(outcome)).not.toMatch(/RESIZED\]/);
    expect(patched(both, outcome).metadata.annotations).not.toHaveProperty(ANNOTATION.reevaluate);
  });
});
