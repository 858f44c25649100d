import { expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import type { Release } from "../../../../../src/composition/managed/release.ts";
import { putMarksBack } from "../../../../../src/composition/release/drift/put-marks-back.ts";
import type { Resource } from "../../../../../src/composition/types.ts";

const KEEPS = { "cnrm.cloud.google.com/deletion-policy": "abandon" };
const machine = (annotations: Record<string, string>, more: object = {}): Resource => ({
  ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance" },
  metadata: {
    ...{ name: "web", namespace: "demo", labels: { "app.kubernetes.io/managed-by": "Helm" }, ...more },
    annotations: {
      ...{ "meta.helm.sh/release-name": "web-1", "meta.helm.sh/release-namespace": "demo" },
      ...annotations,
    },
  },
});

/** A release whose machine has a mark again each time that it is looked at. `answer`: what the API server stored. */
function world(answer: Resource) {
  const path = apiPath`/apis/compute.cnrm.cloud.google.com/v1beta1/namespaces/demo/computeinstances/web`;
  const object = { kind: "ComputeInstance", name: "web", manifest: machine({}), entry: { path } };
  const release = { name: "web-1", namespace: "demo", objects: [object], fought: new Map() } as unknown as Release;
  const reasons: string[] = [];
  let [now, live, writes] = [1000, machine(KEEPS), 0];
  const context = {
    managed: { get: () => live, read: () => Promise.resolve(live) },
    records: { read: () => Promise.resolve(null), running: () => Promise.resolve([]) },
    ...{ retentions: { record: () => Promise.resolve() }, removals: { of: () => Promise.resolve(null) } },
    tenant: () => ({ patch: () => Promise.resolve(((writes += 1), answer)) }),
    ...{ nowSeconds: () => now, log: { warn: () => undefined } },
    record: (_: Resource, { reason }: { reason: string }) => void reasons.push(reason),
  } as unknown as CompositionContext;
  const composition = { object: { apiVersion: "", kind: "VmTemplate", metadata: { uid: "u" } } } as Composition;
  return {
    reasons,
    /** How often it is written in so many seconds, looked at each second. */
    writesIn: async (seconds: number): Promise<number> => {
      const before = writes;
      for (const end = now + seconds; now < end; now += 1) await putMarksBack(context, composition, release);
      return writes - before;
    },
    setLive: (next: Resource) => void (live = next),
  };
}

it("374: marks that a mutating policy writes again are put back ever more rarely, and that is said", async () => {
  const { writesIn, reasons } = world(machine(KEEPS));
  expect(await writesIn(29)).toBe(1);
  // After 30 s, 2 and 8 more minutes, and so on.
  expect(await writesIn(600)).toBe(2);
  expect(new Set(reasons)).toEqual(new Set(["REL_MARKS_WRITTEN"]));
});

it("374: marks that a user writes again are put back each time", async () => {
  const { writesIn, reasons } = world(machine({}));
  expect(await writesIn(60)).toBe(60);
  expect(new Set(reasons)).toEqual(new Set(["MarksPutBack"]));
});

it("374: those of an object that is being deleted are put back each time", async () => {
  const { writesIn, setLive } = world(machine(KEEPS));
  expect(await writesIn(5)).toBe(1);
  setLive(machine(KEEPS, { deletionTimestamp: "2026-01-01T00:00:00Z" }));
  expect(await writesIn(5)).toBe(5);
});
