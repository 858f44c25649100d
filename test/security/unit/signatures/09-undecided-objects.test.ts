import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import { guard } from "../../../../src/admission/guard.ts";
import { createClusterData } from "../../../../src/external-data/cluster-data.ts";
import { readDecided } from "../../../../src/external-data/read-decided.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { formatTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const given = context(await loadPolicy(), NOW, NO_OWNERS);
const deletionTimestamp = formatTime(NOW);
const PLACE = "azure/italynorth";
const forged = {
  [ANNOTATION.decision]: JSON.stringify({
    placement: { provider: "azure", region: "italynorth", pricePerHour: -1e6, start: formatTime(NOW), end: null },
  }),
};

/** Never decided, and kept by a finalizer of its user. */
const stuck = vm({ cpu: 2, memory: 4 }, { name: "stuck", deletionTimestamp, finalizers: ["t.example/x"] });
const withMetadata = (object: WorkloadObject, metadata: Partial<WorkloadObject["metadata"]>): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
});

/** Both webhooks: the codes of a refusal, or the object. */
function change(after: WorkloadObject): WorkloadObject | readonly string[] {
  const outcome = admit(update(stuck, after), given);
  if (!outcome.allowed) return outcome.codes;
  const next = patched(after, outcome);
  const checked = guard(update(stuck, next), given);
  return checked.allowed ? next : checked.codes;
}

describe("9: an object that is being deleted and was never decided", () => {
  const { deletionTimestamp: _, ...withoutTime } = stuck.metadata;
  it.each<[string, WorkloadObject]>([
    ["a decision", withMetadata(stuck, { annotations: forged })],
    ["another size", { ...stuck, spec: { cpu: 100_000, memory: 4 } }],
    ["another size in a request without its time of deletion", { ...stuck, metadata: withoutTime, spec: { cpu: 1 } }],
    ["a decision in such a request", { ...stuck, metadata: { ...withoutTime, annotations: forged } }],
  ])("does not take %s", (_name, after) => {
    expect(change(after)).toEqual(["ADM_DELETING"]);
  });

  it.each<[string, WorkloadObject]>([
    ["finalizers", withMetadata(stuck, { finalizers: [] })],
    ["labels and annotations", withMetadata(stuck, { labels: { a: "b" }, annotations: { c: "d" } })],
    ["a status", { ...stuck, status: { a: "b" } }],
    ["what Krateo's controller adds", { ...stuck, spec: { ...stuck.spec, global: { a: "b" } } }],
  ])("takes %s", (_name, after) => {
    expect(change(after)).toEqual(after);
  });

  it("is no new object: a creation that brings a time of deletion is decided", () => {
    const brought = vm({ cpu: 2, memory: 4 }, { deletionTimestamp });
    expect(patched(brought, admit(create(brought), given)).metadata.annotations).toHaveProperty(ANNOTATION.seal);
  });
});

describe("9: a decision that nobody signed", () => {
  function counted(object: WorkloadObject, keys = given.keys, installed = false) {
    const data = createClusterData();
    data.apply({ type: "seen", at: NOW });
    const { kind } = object;
    const mark = { kind, namespace: "demo", name: "stuck", place: PLACE, uid: "", release: "", running: [] };
    if (installed) data.apply({ type: "release", record: "landfall.release.demo.stuck", installed: mark });
    data.apply({ type: "workload", key: "a", ...readDecided(keys, "VmTemplate", object) });
    const { pricePerMonth } = data.around({ key: "", namespace: "demo", vmName: null }, NOW)?.usage ?? {};
    return { pricePerMonth, places: data.workloads(NOW, "").map(({ place }) => place) };
  }
  const object = vm({ cpu: 2, memory: 4, provider: "azure", schedulingLocation: "italynorth" }, { name: "stuck" });
  const decided = patched(object, admit(create(object), given));

  it("fills no place and lowers no price", () => {
    expect(counted(withMetadata(stuck, { annotations: forged }))).toEqual({ pricePerMonth: 0, places: [null] });
  });

  it("counts as before if it is signed, or if its key was lost and its release is recorded there", () => {
    const asDecided = counted(decided);
    expect(asDecided.pricePerMonth).toBeGreaterThan(0);
    expect(asDecided.places).toEqual([PLACE]);
    const other = ringOf(Buffer.alloc(32, 8));
    expect(counted(decided, other, true)).toEqual(asDecided);
    expect(counted(decided, other)).toEqual({ ...asDecided, places: [null] });
  });
});
