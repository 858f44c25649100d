import { beforeAll, describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { guard } from "../../../../../src/admission/guard.ts";
import { boundEvent, bytesOfEvents } from "../../../../../src/external-data/bound-event.ts";
import { type ClusterEvent, createClusterData, workloadKey } from "../../../../../src/external-data/cluster-data.ts";
import { readWorkload } from "../../../../../src/model/read-workload.ts";
import { readRunRecord, runRecordMetadata, type RunRecord } from "../../../../../src/model/runs/run-record.ts";
import { runOf } from "../../../../../src/model/runs/run-of.ts";
import type { WorkloadObject } from "../../../../../src/model/workload.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { context, create, NO_OWNERS, NOW, patched, update, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

let policy: LoadedBundle;
beforeAll(async () => {
  policy = await loadPolicy();
});

/** V8 needs two bytes for each of its characters. */
const LONG = `\u0100${"x".repeat(250_000)}`;
const KEY = workloadKey("VmTemplate", "demo", "a");
const size = { cpu: 1, memory: 1 };
const asks = (run: string): WorkloadObject =>
  vm(size, { name: "a", uid: "u", annotations: { "landfall.dev/run": run } });
const at = () => context(policy, NOW, NO_OWNERS);

describe("40: a long value of landfall.dev/run", () => {
  it.each([64, 250_000])("is refused by both webhooks: %i characters", (length) => {
    const object = asks("x".repeat(length));
    expect(admit(create(object), at())).toMatchObject({ allowed: false, codes: ["ADM_RUN_LONG"] });
    expect(guard(create(object), at())).toMatchObject({ allowed: false, codes: ["ADM_RUN_LONG"] });
    const before = patched(asks("1"), admit(create(asks("1")), at()));
    const after = {
      ...before,
      metadata: { ...before.metadata, annotations: { ...before.metadata.annotations, "landfall.dev/run": LONG } },
    };
    expect(admit(update(before, after), at())).toMatchObject({ allowed: false, codes: ["ADM_RUN_LONG"] });
    expect(guard(update(before, after), at())).toMatchObject({ allowed: false, codes: ["ADM_RUN_LONG"] });
  });

  it("of 63 characters is admitted, and one that is stored already stops no other change", () => {
    expect(admit(create(asks("x".repeat(63))), at())).toMatchObject({ allowed: true });
    const stored = asks(LONG);
    const changed = { ...stored, metadata: { ...stored.metadata, labels: { a: "b" } } };
    for (const outcome of [admit(update(stored, changed), at()), guard(update(stored, changed), at())])
      expect("codes" in outcome ? outcome.codes : []).not.toContain("ADM_RUN_LONG");
  });

  it("that is stored is told from others by a digest, also in its record, which stays the record of this run", () => {
    const object = asks(LONG);
    const record = {
      uid: "u",
      kind: "VmTemplate",
      namespace: "demo",
      name: "a",
      run: LONG,
      plan: {},
      startedAt: NOW,
      end: null,
    };
    const { run = "" } =
      readRunRecord({ metadata: runRecordMetadata({ ...record, removedAt: NOW } as unknown as RunRecord) }) ?? {};
    expect(run).toHaveLength(63);
    expect([runOf(object), runOf(asks(run))]).toEqual([run, run]);
    expect(runOf(asks(`${LONG}y`))).not.toBe(run);
    const data = createClusterData();
    data.apply(
      boundEvent({
        type: "workload",
        key: KEY,
        workload: readWorkload("VmTemplate", object),
        of: { uid: "u", run: LONG },
      }),
    );
    expect(data.workloads(NOW, "")).toHaveLength(1);
    data.apply(
      boundEvent({ type: "run", key: KEY, uid: "u", run: { uid: "u", run: LONG, endedAt: NOW, removedAt: NOW } }),
    );
    expect(data.workloads(NOW, "")).toEqual([]);
  });
});

describe("40: what the cluster's data keep of stored texts", () => {
  const workload = {
    ...{ kind: "VmTemplate" as const, namespace: LONG, name: LONG, uid: LONG, vmName: LONG, vcpus: 1, memoryGiB: 1 },
    ...{ pricePerHour: 1, place: LONG, start: null, end: null, decisionId: LONG },
  };
  const size = { place: LONG, vcpus: 1, memoryGiB: 1, pricePerHour: null };
  const installed = {
    kind: "VmTemplate",
    namespace: LONG,
    name: LONG,
    uid: LONG,
    release: LONG,
    place: LONG,
    running: [size],
  };
  it.each<[string, ClusterEvent]>([
    ["an object", { type: "workload", key: LONG, workload, of: { uid: LONG, run: LONG } }],
    ["a run", { type: "run", key: LONG, uid: LONG, run: { uid: LONG, run: LONG, endedAt: 1, removedAt: null } }],
    [
      "what was retained",
      { type: "retained", key: LONG, workload, adopter: { key: LONG, release: LONG }, isGone: false },
    ],
    ["a reservation", { type: "reservation", key: LONG, workload, until: 1, by: LONG }],
    ["a binding", { type: "binding", id: LONG, uid: LONG }],
    ["a release", { type: "release", record: LONG, installed }],
  ])("%s takes a few kilobytes, and one that is as usual stays as it is", (_, event) => {
    expect(bytesOfEvents([event])).toBeGreaterThan(500_000);
    const small = boundEvent(event);
    expect(bytesOfEvents([small])).toBeLessThan(3000);
    expect(boundEvent(small)).toEqual(small);
    expect(small.type).toBe(event.type);
  });

  it("a namespace takes a limited size, and Landfall's annotations are the last to go", () => {
    const many = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`a.example/${String(index)}`, "x".repeat(100)]),
    );
    const annotations = { ...many, "b.example/long": LONG, "landfall.dev/max-price": "3" };
    const event: ClusterEvent = { type: "namespace", name: "demo", data: { name: "demo", labels: many, annotations } };
    const small = boundEvent(event);
    expect(bytesOfEvents([small])).toBeLessThan(150_000);
    const data = createClusterData();
    data.apply(small);
    expect(data.namespace("demo").annotations["landfall.dev/max-price"]).toBe("3");
    expect(Object.keys(data.namespace("demo").labels).length).toBeGreaterThan(200);
    const usual: ClusterEvent = {
      type: "namespace",
      name: "a",
      data: { name: "a", labels: { b: "c" }, annotations: { d: "e" } },
    };
    expect(boundEvent(usual)).toEqual(usual);
  });
});
