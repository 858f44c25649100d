import { describe, expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { reconcileComposition } from "../../../../../src/composition/reconcile/reconcile-composition.ts";
import { countRuns } from "../../../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import { apiPath } from "../../../../../src/cluster/api-path.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";

const START = 1_800_000_000;
const NOW = START + 7200;

const record: RunRecord = {
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: START, removedAt: null },
  ...{ end: { at: START + 3600, by: "time", outcome: "unknown" }, wasReady: true, machine: null, reported: null },
  ...{ plan: planOf({ duration: "1h", whenDone: "delete" }, 60), pricePerHour: null, gramsCO2: null },
};
const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: { uid: "u", namespace: "demo", name: "web" },
  spec: { duration: "1h", whenDone: "delete" },
};

/** What is reported of a run that is to be deleted, or stopped, where its namespace's identity fails with `thrown`. */
async function reported(thrown: Error, present: Resource = object) {
  const patches: unknown[] = [];
  const events: string[] = [];
  const context = {
    client: { patch: (_path: string, _type: string, body: unknown) => Promise.resolve(void patches.push(body)) },
    ...{
      servedFor: () => null,
      isUnserved: () => false,
      records: { find: () => Promise.resolve(null) },
      releases: new Map(),
      keys: null,
    },
    runs: { read: () => Promise.resolve(record), change: (next: RunRecord) => Promise.resolve(next) },
    ...{ graceSeconds: 60, serverSeconds: () => NOW, nowSeconds: () => NOW, runMetrics: countRuns() },
    clientIn: () => Promise.reject(thrown),
    record: (_object: Resource, { reason }: { reason: string }) => events.push(reason),
  } as unknown as CompositionContext;
  const path = apiPath`/apis/composition.krateo.io/v0-2-0/namespaces/demo/vmtemplates/web`;
  const composition: Composition = { key: "vmtemplates/demo/web", object: present, path };
  const failure: unknown = await reconcileComposition(context, composition).then(
    () => null,
    (one: unknown) => one,
  );
  return { text: JSON.stringify(patches), events, failure };
}

describe("33: an end that fails", () => {
  it("stands in the conditions and in an Event, and is tried again", async () => {
    const thrown = new LandfallError("REL_IDENTITY", { namespace: "demo", detail: "a broken RoleBinding" });
    const { text, events, failure } = await reported(thrown);
    expect(failure).toBe(thrown);
    expect(events).toContain("EndFailed");
    expect(text).toContain("its run is not ended");
    expect(text).toContain("a broken RoleBinding");
  });

  it("is reported if the API server refuses something, and not if it gives no answer", async () => {
    expect((await reported(new ApiError(422, { action: "PUT /x", detail: "too long" }))).text).toContain("too long");
    expect((await reported(new ApiError(0, { action: "PUT /x", detail: "no answer" }))).events).toEqual([]);
  });

  it("is reported for a machine that is to be stopped and whose chart is not served", async () => {
    const { text, failure } = await reported(new Error("unused"), {
      ...object,
      spec: { duration: "1h", whenDone: "stop" },
    });
    expect(failure).toBeNull();
    expect(text).toContain("no CompositionDefinition serves its chart");
  });

  it("counts as late once its resources should be gone", async () => {
    const metrics = countRuns();
    const at = async (now: number): Promise<string> => {
      metrics.observe({ list: () => [record], boots: () => ({}), nowSeconds: () => now });
      return metrics.registry.metrics();
    };
    expect(await at(START + 3700)).toContain('landfall_runs{state="over"} 1');
    expect(await at(NOW)).toContain('landfall_runs{state="late"} 1');
  });
});
