import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { reconcileComposition } from "../../../../../src/composition/reconcile/reconcile-composition.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { Resource, ServedChart } from "../../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";

const START = 1_800_000_000;
const NOW = START + 7200;
const RELEASE = "web-1";
const SPEC = { cpu: 2, memory: 4, provider: "gcp", duration: "1h", whenDone: "stop" };
const GLOBAL = {
  compositionId: "u",
  compositionKind: "VmTemplate",
  compositionNamespace: "demo",
  compositionName: "web",
};
const RUN: RunRecord = {
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: START, removedAt: null },
  ...{ end: { at: START + 3600, by: "time", outcome: "unknown" }, wasReady: true, machine: null, reported: null },
  ...{ plan: planOf(SPEC, 60), pricePerHour: null, gramsCO2: null },
};
const served = {
  ...{ kind: "VmTemplate", plural: "vmtemplates", version: "v0-2-0", url: "" },
  definition: { namespace: "landfall-system", name: "vm" },
  chart: { name: "vmtemplate", version: "0.2.0", digest: "sha256:c", schema: null, directory: "/none" },
} as unknown as ServedChart;

class Called extends Error {}

/** The values with which helm is called for a run that is over, while each write of its object fails with `status`. */
async function calledWith(status: number): Promise<unknown> {
  const called: unknown[] = [];
  const revision = {
    ...{ secret: "s", revision: 1, status: "deployed", createdAt: START, copy: "", pruned: true },
    labels: { "landfall.dev/composition": "u" },
    release: { config: { ...SPEC, global: GLOBAL } },
  };
  const known = {
    ...{ name: RELEASE, namespace: "demo", secret: "s", id: "u", inputs: "", awaited: "", awaits: [], objects: [] },
    ...{ checkedAt: NOW, drifts: new Map(), chart: null },
  };
  const context = {
    client: { patch: () => Promise.reject(new ApiError(status, { action: "PATCH", detail: "changed" })) },
    tenant: () => ({ get: () => Promise.resolve({ items: [] }) }),
    clientIn: () => Promise.resolve(),
    records: {
      find: () => Promise.resolve(RELEASE),
      read: (_: string, name: string) => Promise.resolve(name === RELEASE ? { revisions: [revision] } : null),
      formerGone: () => Promise.resolve(),
    },
    runs: { read: () => Promise.resolve(RUN), change: (next: RunRecord) => Promise.resolve(next) },
    ...{ releases: new Map([["u", known]]), keys: null, removals: { of: () => Promise.resolve(null) } },
    ...{ servedFor: () => served, rollouts: { note: () => undefined, turnOf: () => true }, uninstalled: new Map() },
    ...{ serverSeconds: () => NOW, nowSeconds: () => NOW, graceSeconds: 60, resyncSeconds: 180 },
    ...{ record: () => undefined, log: { warn: () => undefined, info: () => undefined } },
    lanes: { leaveToHelm: () => false, settle: () => undefined },
    alone: (_: string[], work: () => Promise<unknown>) => work(),
    withHelm: (slot: unknown) => {
      called.push(slot);
      return Promise.reject(new Called());
    },
  } as unknown as CompositionContext;
  const object: Resource = {
    ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: SPEC },
    metadata: { uid: "u", namespace: "demo", name: "web", labels: { "krateo.io/release-name": "another" } },
  };
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
  const composition: Composition = { key: "vmtemplates/demo/web", object, path };
  await expect(reconcileComposition(context, composition)).rejects.toThrow(ApiError);
  return called[0];
}

describe("371: a run that is over, whose object cannot be written", () => {
  it.each([409, 422, 500])("is stopped as it is installed, by the release of its record: %i", async (status) => {
    expect(await calledWith(status)).toMatchObject({ namespace: "demo" });
  });

  it("waits while the API server gives no answer", async () => {
    expect(await calledWith(0)).toBeUndefined();
  });
});
