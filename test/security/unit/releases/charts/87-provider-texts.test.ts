import { describe, expect, it } from "vitest";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import { openRuns } from "../../../../../src/composition/record/open-runs.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import { clusterStatus } from "../../../../../src/composition/status/cluster-status.ts";
import { deletionState } from "../../../../../src/composition/status/readiness.ts";
import { summariseReadiness } from "../../../../../src/composition/status/summarise-readiness.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { readRunRecord, type RunRecord } from "../../../../../src/model/runs/run-record.ts";

type Fields = Record<string, unknown>;
const LONG = "x".repeat(1_000_000);

const resource = (kind: string, spec: Fields, status: Fields = {}): Resource => ({
  ...{ apiVersion: "containerservice.azure.com/v1api20240901", kind, metadata: { name: "web" } },
  ...{ spec, status },
});
const found = (live: Resource) => ({ apiVersion: live.apiVersion, kind: live.kind, name: "web", live });

describe("87: what a provider's operator, or somebody else, writes into a cluster's resources", () => {
  const operatorSpec = { secrets: { userCredentials: { name: LONG } } };
  const ready = { conditions: [{ type: "Ready", status: "True" }] };

  it("does not make the status long", () => {
    const agentPoolProfiles = Array.from({ length: 10_000 }, (_, index) => ({
      name: `${String(index)}${LONG}`,
      count: 1e300,
    }));
    const status = clusterStatus([
      found(resource("ManagedCluster", { agentPoolProfiles, operatorSpec }, ready)),
      found(resource("ManagedClustersAgentPool", { azureName: LONG, count: 3 })),
    ]);
    expect(status?.pools).toHaveLength(100);
    expect(JSON.stringify(status).length).toBeLessThan(12_000);
    expect(status).not.toHaveProperty("kubeconfigSecret");
  });

  it("does not make conditions and Events long", () => {
    const failing = { type: "Ready", status: "False", severity: "Error", reason: LONG, message: LONG };
    const live = resource("ManagedCluster", {}, { conditions: [failing] });
    const { message } = summariseReadiness([found(live)], 0);
    expect(message.length).toBeLessThan(3000);
    expect(message).toMatch(/x… .*REL_/);
    const deleted = deletionState({ ...live, metadata: { name: "web", deletionTimestamp: "2026-11-20T22:00:00Z" } });
    expect(deleted.reason.length + deleted.message.length).toBeLessThan(3000);
  });
});

describe("87: a run's record that is nearly too long", () => {
  const RECORD: Omit<RunRecord, "startedAt"> = {
    ...{ uid: "one", kind: "VmTemplate", namespace: "demo", name: "web", run: "", end: null, removedAt: null },
    ...{ plan: planOf({ duration: "1h", whenDone: "delete" }, 900), wasReady: true, reported: null },
    ...{ machine: { uid: "two", id: "i-1" }, pricePerHour: null, gramsCO2: null },
  };
  const end = { at: 2000, by: "time", outcome: "unknown" } as const;

  /** An API server that refuses records with a machine, as it would refuse long ones. */
  function server(status: number) {
    let stored: Resource | null = null;
    const write = (body: Resource): Promise<Resource> => {
      stored = { ...body, metadata: { ...body.metadata, resourceVersion: "1" } };
      return Promise.resolve(stored);
    };
    const client = {
      get: (path: string) =>
        Promise.resolve(path.endsWith("/secrets") ? { kind: "SecretList", items: [], metadata: {} } : stored),
      create: (_path: string, body: Resource) => write(body),
      replace: (_path: string, body: Resource) =>
        readRunRecord(body)?.machine === null
          ? write(body)
          : Promise.reject(new ApiError(status, { action: "PUT", detail: "Too long: must have at most 262144 bytes" })),
    } as unknown as KubeClient;
    return { runs: openRuns(client, "landfall-system"), recorded: () => stored && readRunRecord(stored) };
  }

  it.each([413, 422])(
    "gets its end all the same, without the machine, if the API server answers %i",
    async (status) => {
      const { runs, recorded } = server(status);
      const record = await runs.start(RECORD, 1000);
      await expect(runs.change({ ...record, end })).resolves.toMatchObject({ end, machine: null });
      expect(recorded()).toMatchObject({ end, machine: null, wasReady: true });
    },
  );

  it("stays as it is for a change without an end, and for a conflict", async () => {
    const { runs, recorded } = server(422);
    const record = await runs.start(RECORD, 1000);
    await expect(runs.change({ ...record, wasReady: false })).rejects.toMatchObject({ status: 422 });
    expect(recorded()).toMatchObject({ machine: { id: "i-1" } });
    const conflicting = server(409);
    const other = await conflicting.runs.start(RECORD, 1000);
    await expect(conflicting.runs.change({ ...other, end })).rejects.toMatchObject({ status: 409 });
  });
});
