import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { guard } from "../../../../../src/admission/guard.ts";
import type { AdmissionContext, Outcome } from "../../../../../src/admission/types.ts";
import { createClusterData, keyOfWorkload } from "../../../../../src/external-data/cluster-data.ts";
import { readDecision } from "../../../../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { signDecision } from "../../../../../src/model/decision-annotation/signature.ts";
import { ANNOTATION } from "../../../../../src/model/names.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import { formatTime, HOUR_SECONDS } from "../../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import { context, create, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";
import { type Life, RunWorld } from "../../../../support/composition/run-world.ts";

const policy = await loadPolicy();
const PLACE = { provider: "gcp", schedulingLocation: "europe-north1" };
const SIZE = { memory: 8, ...PLACE };
const LATER = NOW + 2 * HOUR_SECONDS;

/** A namespace with a quota of 64 vCPU, in a cluster whose records say what they say. */
function createNamespace() {
  const data = createClusterData();
  const namespace = { name: "demo", labels: {}, annotations: { "landfall.dev/quota-vcpus": "64" } };
  function contextAt(now: number, object: WorkloadObject): AdmissionContext {
    data.apply({ type: "seen", at: now });
    const relatedWorkloads = data.around({ key: keyOfWorkload(object), namespace: "demo", vmName: null }, now);
    return { ...context(policy, now), namespace, owners: data.owners, relatedWorkloads };
  }
  const store = (object: WorkloadObject): void => {
    const { uid = "", annotations = {} } = object.metadata;
    const of = { uid, run: annotations[ANNOTATION.run] ?? "" };
    data.apply({ type: "workload", key: keyOfWorkload(object), workload: readWorkload("VmTemplate", object), of });
  };
  function add(name: string, cpu: number, now: number, more: object = {}): WorkloadObject {
    data.apply({ type: "seen", at: now });
    const object = vm({ ...SIZE, cpu, ...more }, { name });
    const decided = patched(object, admit(create(object), contextAt(now, object)));
    const metadata = { ...decided.metadata, uid: `uid-${name}`, creationTimestamp: formatTime(now) };
    const [, , , , id = ""] = metadata.annotations?.[ANNOTATION.seal]?.split(".") ?? [];
    data.apply({ type: "binding", id, uid: metadata.uid });
    store({ ...decided, metadata });
    return { ...decided, metadata };
  }
  /** What is recorded of the run of an object. */
  const record = (object: WorkloadObject, removedAt: number | null): void => {
    const run = { uid: object.metadata.uid ?? "", run: "", endedAt: NOW + HOUR_SECONDS, removedAt };
    data.apply({ type: "run", key: keyOfWorkload(object), uid: run.uid, run });
  };
  return { data, contextAt, add, record };
}

/** The object as its controller leaves it. */
const over = (object: WorkloadObject, conditions = ["Completed"]): WorkloadObject => ({
  ...object,
  status: { managed: [], conditions: conditions.map((type) => ({ type, status: "True", reason: "X", message: "" })) },
});

const asking = (object: WorkloadObject, run: string): WorkloadObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [ANNOTATION.run]: run } },
});

const codesOf = (outcome: Outcome): readonly string[] => (outcome.allowed ? [] : outcome.codes);

describe("31: another run of what is gone", () => {
  const RUN = { duration: "1h", whenDone: "delete" };
  const DECOY = { kind: "VmTemplate", namespace: "demo", name: "a", uid: "old", release: "a-old" };
  const running = [{ place: "gcp/europe-north1", vcpus: 1, memoryGiB: 1, pricePerHour: 0.01 }];

  it.each([
    ["beside the release of a namesake that is gone", true, ["Completed"]],
    ["without the condition Completed", false, []],
    ["after an ordinary end", false, ["Completed"]],
  ])("does not pass the quota, %s", (_what, decoy, conditions) => {
    const { data, add, record, contextAt } = createNamespace();
    const installed = { ...DECOY, place: "gcp/europe-north1", running };
    if (decoy) data.apply({ type: "release", record: "landfall.release.x", installed });
    const object = over(add("a", 48, NOW, RUN), conditions);
    record(object, NOW + HOUR_SECONDS + 900);
    add("b", 48, LATER);
    const asked = update(object, asking(object, "2"));
    expect(codesOf(admit(asked, contextAt(LATER, object)))).toContain("POL_QUOTA");
  });

  it("is decided in full within the quota, and its decision names the run", () => {
    const { add, record, contextAt } = createNamespace();
    const object = over(add("a", 48, NOW, RUN));
    record(object, NOW + HOUR_SECONDS + 900);
    const next = asking(object, "2");
    const stored = patched(next, admit(update(object, next), contextAt(LATER, object)));
    expect(readDecision(stored)).toMatchObject({ run: "2" });
    expect(guard(update(object, stored), contextAt(LATER, object)).allowed).toBe(true);
  });

  it("cannot be asked for while its resources are still to be deleted, whatever the status says", () => {
    const { add, record, contextAt } = createNamespace();
    const object = over(add("a", 48, NOW, RUN));
    record(object, null);
    const next = asking(object, "2");
    const stored = patched(next, admit(update(object, next), contextAt(LATER, object)));
    expect(readDecision(stored)).not.toHaveProperty("run");
    expect(codesOf(guard(update(object, stored), contextAt(LATER, object)))).toEqual(["ADM_RUN_ACTIVE"]);
  });
});

describe("31: another run on a machine that is there", () => {
  it("counts from when it is asked for, also once its machine is gone, so that no one else gets its quota", () => {
    const { data, add, record, contextAt } = createNamespace();
    const object = over(add("a", 48, NOW, { duration: "1h", whenDone: "keep" }));
    record(object, null);
    const paused = asking(object, "2");
    const next = {
      ...paused,
      metadata: { ...paused.metadata, annotations: { ...paused.metadata.annotations, [ANNOTATION.paused]: "true" } },
    };
    const stored = patched(next, admit(update(object, next), contextAt(LATER, object)));
    expect(readDecision(stored)).toMatchObject({ run: "2" });
    const of = { uid: object.metadata.uid ?? "", run: "2" };
    data.apply({ type: "workload", key: keyOfWorkload(stored), workload: readWorkload("VmTemplate", stored), of });
    record(object, LATER);
    expect(() => add("b", 48, LATER + HOUR_SECONDS)).toThrow("POL_QUOTA");
  });
});

const keys = ringOf(Buffer.alloc(32, 7));

/** The object with a decision for this run, which it asks for. */
function decide(life: Life, run: string | undefined): void {
  const { object } = life;
  const compact = JSON.stringify({ inputs: "", written: [], placement: {}, ...(run === undefined ? {} : { run }) });
  const seal = signDecision(keys, object, compact, { use: "uid", at: NOW, id: object.metadata.uid ?? "" });
  const annotations = { ...object.metadata.annotations, [ANNOTATION.decision]: compact, [ANNOTATION.seal]: seal };
  life.object = { ...object, metadata: { ...object.metadata, annotations } };
}

it("31: the controller begins another run only with a decision for it", async () => {
  const calm = { random: () => 0.5, deletionSeconds: () => 20, dies: () => false, graceSeconds: 60 };
  const world = new RunWorld({ ...calm, keys });
  const spec = { duration: "30m", whenDone: "delete" };
  const life = world.add({ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", metadata: {}, spec });
  decide(life, undefined);
  await world.run(HOUR_SECONDS);
  const annotations = { ...life.object.metadata.annotations, [ANNOTATION.run]: "2" };
  life.object = { ...life.object, metadata: { ...life.object.metadata, annotations } };
  world.touch(life);
  await world.run(60);
  expect(life.machines).toHaveLength(1);
  decide(life, "2");
  world.touch(life);
  await world.run(60);
  expect(life.machines).toHaveLength(2);
});
