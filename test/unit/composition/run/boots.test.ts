import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../src/cluster/client/create-client.ts";
import type { CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../../src/composition/run/follow/note-ready.ts";
import { openBoots } from "../../../../src/composition/record/open-boots.ts";
import { countRuns } from "../../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { readBootRecord } from "../../../../src/model/runs/boot-record.ts";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { bootsOf } from "../../../support/composition/observed-boots.ts";

const START = 1_800_000_000;
const RECORD: RunRecord = {
  ...{ uid: "u1", kind: "VmTemplate", namespace: "demo", name: "job", run: "", end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1h" }, 900), wasReady: false, machine: null, reported: null, startedAt: START },
  ...{ pricePerHour: null, gramsCO2: null },
};
const OBJECT: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: { provider: "gcp" } },
  metadata: { name: "job", namespace: "demo", uid: "u1" },
  status: { boot: 9999 },
};
const READY = { type: "Ready", status: "True", reason: "Available", message: "" } as const;

/** The record of a run that is found ready `seconds` after its start, and what was learned from it. */
async function afterReady(record: RunRecord, seconds: number, refuse = false) {
  const learned: unknown[][] = [];
  const warnings: unknown[] = [];
  let stored = record;
  const context = {
    runs: { read: () => Promise.resolve(stored), change: (next: RunRecord) => Promise.resolve((stored = next)) },
    boots: {
      known: () => ({}),
      observe: (...observed: unknown[]) => {
        if (refuse) return Promise.reject(new ApiError(500, { action: "PUT", detail: "" }));
        learned.push(observed);
        return Promise.resolve();
      },
    },
    log: { warn: (fields: unknown) => warnings.push(fields) },
    ...{ managed: { get: () => null }, releases: new Map() },
  } as unknown as CompositionContext;
  const step = { found: null, do: "run", endsAt: null, deletesAt: null, overdueSince: null, lookAt: null } as const;
  const run: FollowedRun = { record, step, now: START + seconds };
  await noteReady(context, OBJECT, run, { ready: READY, live: [] });
  return { stored, learned, warnings };
}

describe("a run that is ready for the first time", () => {
  it("teaches how long its boot took, by the API server's clock and not by its status", async () => {
    const { stored, learned } = await afterReady(RECORD, 42);
    expect(stored).toMatchObject({ wasReady: true, bootSeconds: 42 });
    expect(learned).toEqual([["gcp", "VmTemplate", { namespace: "demo", seconds: 42 }]]);
  });

  it.each([
    ["after a pause", { bootSeconds: 42 }],
    ["on a machine of the run before", { firstStartedAt: START - 9000 }],
    ["that was installed by an earlier version", { bootSeconds: null }],
  ])("teaches nothing %s", async (_what, given) => {
    const { stored, learned } = await afterReady({ ...RECORD, ...given }, 5000);
    expect(stored.wasReady).toBe(true);
    expect(stored.bootSeconds).not.toBe(5000);
    expect(learned).toEqual([]);
  });

  it("is ready also if what was learned cannot be recorded", async () => {
    const { stored, warnings } = await afterReady(RECORD, 42, true);
    expect(stored.wasReady).toBe(true);
    expect(warnings).toHaveLength(1);
  });
});

describe("the record of boot times", () => {
  /** An API server with one Secret; another controller writes before each of the first `conflicts` writes. */
  function server(conflicts = 0) {
    let stored: Resource | null = null;
    let left = conflicts;
    const write = (_path: string, body: Resource): Promise<Resource> => {
      if (left-- > 0) return Promise.reject(new ApiError(409, { action: "PUT", detail: "" }));
      stored = { ...body, metadata: { ...body.metadata, resourceVersion: "1" } };
      return Promise.resolve(stored);
    };
    const client = { get: () => Promise.resolve(stored), create: write, replace: write } as unknown as KubeClient;
    return { client, read: () => stored && readBootRecord(stored) };
  }

  it("keeps each observation, also beside another controller", async () => {
    const { client, read } = server(2);
    const boots = openBoots(client, "landfall-system");
    await boots.observe("gcp", "VmTemplate", { namespace: "a", seconds: 30.2 });
    await openBoots(client, "landfall-system").observe("aws", "KaasCluster", { namespace: "a", seconds: 900 });
    await boots.observe("gcp", "VmTemplate", { namespace: "b", seconds: 20 });
    expect(read()).toEqual({
      "gcp/VmTemplate": [
        { namespace: "a", seconds: 31 },
        { namespace: "b", seconds: 20 },
      ],
      "aws/KaasCluster": [{ namespace: "a", seconds: 900 }],
    });
  });

  it.each([0, -3, 3601])("has no observation of %d s", async (seconds) => {
    const { client, read } = server();
    await openBoots(client, "landfall-system").observe("gcp", "VmTemplate", { namespace: "a", seconds });
    expect(read()).toBeNull();
  });

  it("gives up after several conflicts", async () => {
    const { client } = server(9);
    const failed = openBoots(client, "landfall-system").observe("gcp", "VmTemplate", { namespace: "a", seconds: 30 });
    await expect(failed).rejects.toMatchObject({ status: 409 });
  });
});

it("shows the figures that admission counts as a metric", async () => {
  const metrics = countRuns();
  const boots = { "gcp/VmTemplate": bootsOf(20, 30, 40) };
  metrics.observe({ list: () => [], boots: () => boots, nowSeconds: () => START });
  const text = await metrics.registry.metrics();
  expect(text).toContain('landfall_boot_seconds{provider="gcp",kind="VmTemplate",source="observed"} 30');
  expect(text).toContain('landfall_boot_seconds{provider="azure",kind="VmTemplate",source="catalog"} 360');
});
