import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import { signCommand } from "../../../../../src/model/decision-annotation/command.ts";
import { readDecision } from "../../../../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION, ANOTHER_SIZE, ANOTHER_ZONE } from "../../../../../src/model/names.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import {
  askingSize,
  context,
  create,
  INSTALLED,
  KEYS,
  NOW,
  patched,
  update,
  vm,
} from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();
const PLACES = [
  ["azure", "italynorth"],
  ["gcp", "europe-west1"],
] as const;

/** A machine of 2 vCPU that runs. */
function running(provider: string, schedulingLocation: string): WorkloadObject {
  const asked = vm({ cpu: 2, memory: 4, provider, schedulingLocation }, { uid: "u-1" });
  return { ...patched(asked, admit(create(asked), context(policy))), status: { managed: [{}] } };
}

function commanding(object: WorkloadObject, wish: string): WorkloadObject {
  const annotations = { ...object.metadata.annotations, [ANNOTATION.reevaluate]: wish };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const give = (object: WorkloadObject, next: WorkloadObject, seconds = 0): Outcome =>
  admit(update(object, next), context(policy, NOW + seconds, INSTALLED));

describe("130: another size of a machine that runs", () => {
  it.each(PLACES)("is not decided for a user who asks for it, at %s", (provider, region) => {
    const object = running(provider, region);
    const outcome = give(object, commanding(object, "another-size"));
    expect(outcome).toMatchObject({ allowed: true });
    expect(outcome.allowed && outcome.warnings.join()).toMatch(/only its controller asks for another one.*\[STAYS\]/);
    expect(patched(commanding(object, "another-size"), outcome)).toEqual(object);
  });

  it.each(PLACES)(
    "is decided for its controller, who signs for this type, object and time, at %s",
    (provider, region) => {
      const object = running(provider, region);
      const instanceType = readDecision(object)?.placement.instanceType ?? "";
      const asking = askingSize(object, NOW);
      const wish = asking.metadata.annotations?.[ANNOTATION.reevaluate] ?? "";
      const resized = patched(asking, give(object, asking));
      expect(resized.spec?.["instanceType"]).not.toBe(instanceType);
      expect(resized.metadata.annotations).not.toHaveProperty(ANNOTATION.reevaluate);
      // The same signature again, for the machine that has another type since.
      const again = commanding({ ...resized, status: object.status }, wish);
      const twice = patched(again, give({ ...resized, status: object.status }, again));
      expect(twice.spec).toEqual(resized.spec);
      const machine = { uid: "u-1", lacks: instanceType };
      for (const [forged, seconds] of [
        [signCommand(KEYS, ANOTHER_SIZE, { ...machine, uid: "u-2" }, NOW), 0],
        [signCommand(KEYS, ANOTHER_SIZE, { ...machine, lacks: "n2-highcpu-96" }, NOW), 0],
        [signCommand(ringOf(Buffer.alloc(32, 8)), ANOTHER_SIZE, machine, NOW), 0],
        [signCommand(KEYS, ANOTHER_ZONE, machine, NOW).replace(ANOTHER_ZONE, ANOTHER_SIZE), 0],
        [wish, 301],
        [wish.replace(String(NOW), String(NOW + 301)), 301],
      ] as const) {
        const next = commanding(object, forged);
        expect(patched(next, give(object, next, seconds)).spec).toEqual(object.spec);
      }
    },
  );
});
