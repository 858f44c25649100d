import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../../../../src/cluster/client/api-error.ts";
import type { KubeClient } from "../../../../../src/cluster/client/create-client.ts";
import type { CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { receiveReport } from "../../../../../src/composition/report/receive-report.ts";
import { reportToken } from "../../../../../src/composition/report/report-token.ts";
import type { FollowedRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../../../src/composition/run/follow/note-ready.ts";
import { openRuns } from "../../../../../src/composition/record/open-runs.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { ringOf } from "../../../../../src/model/decision-annotation/key-ring.ts";
import { readRunRecord, type RunRecord } from "../../../../../src/model/runs/run-record.ts";

const ring = ringOf(Buffer.alloc(32, 1));
const UID = "11111111-1111-4111-8111-111111111111";
const NEW: Omit<RunRecord, "startedAt"> = {
  ...{ uid: UID, kind: "VmTemplate", namespace: "demo", name: "web", run: "", end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1h", whenDone: "delete" }, 900), wasReady: false, machine: null, reported: null },
  ...{ pricePerHour: null, gramsCO2: null },
};

/** An API server with one Secret. */
let stored: Resource | null;
let version = 0;
const write = (body: Resource): Promise<Resource> => {
  version += 1;
  stored = { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } };
  return Promise.resolve(structuredClone(stored));
};
const client = {
  get: (path: string) =>
    Promise.resolve(
      path.endsWith("/secrets")
        ? { kind: "SecretList", items: stored ? [stored] : [], metadata: {} }
        : structuredClone(stored),
    ),
  create: (_path: string, body: Resource) => write(body),
  replace: (_path: string, body: Resource) =>
    stored?.metadata.resourceVersion === body.metadata.resourceVersion
      ? write(body)
      : Promise.reject(new ApiError(409, { action: "PUT", detail: "" })),
} as unknown as KubeClient;

const OBJECT: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  ...{ metadata: { name: "web", namespace: "demo", uid: UID }, spec: { provider: "gcp" } },
};
const open = () => openRuns(client, "landfall-system");
const recorded = (): RunRecord | null => (stored === null ? null : readRunRecord(stored));
const token = reportToken(ring, { uid: UID, run: "" });
const report = { uid: UID, authorization: `Bearer ${token}`, body: '{"exitCode": 3}' };

beforeEach(() => {
  stored = null;
});

describe("a machine's report", () => {
  const step = { found: null, do: "run", endsAt: null, deletesAt: null, overdueSince: null, lookAt: null } as const;
  const READY = { type: "Ready", status: "True", reason: "Ready", message: "" } as const;
  const contextWith = (runs: CompositionContext["runs"]) =>
    ({
      runs,
      boots: { observe: () => Promise.resolve(), known: () => ({}) },
      managed: { get: () => null },
      releases: new Map(),
    }) as unknown as CompositionContext;

  it("stays recorded if it arrives while the controller works on the object", async () => {
    const runs = open();
    const run: FollowedRun = { record: await runs.start(NEW, 1000), step, now: 1100 };
    await receiveReport({ runs, ring }, report);
    await noteReady(contextWith(runs), OBJECT, run, { ready: READY, live: [] });
    expect(recorded()).toMatchObject({ reported: { exitCode: 3 }, wasReady: true });
  });

  it("is not overwritten by a change of the record from before it", async () => {
    const runs = open();
    const before = await runs.start(NEW, 1000);
    await receiveReport({ runs, ring }, report);
    await expect(runs.change({ ...before, removedAt: 2000 })).rejects.toMatchObject({ status: 409 });
    expect(recorded()).toMatchObject({ reported: { exitCode: 3 }, removedAt: null });
  });

  it("is recorded if somebody else changed the record meanwhile, and refused only if it is repeated", async () => {
    const runs = open();
    await runs.start(NEW, 1000);
    const other = open();
    await other.change({ ...((await other.read(UID)) as RunRecord), wasReady: true });
    await receiveReport({ runs, ring }, report);
    expect(recorded()).toMatchObject({ reported: { exitCode: 3 }, wasReady: true });
    await expect(receiveReport({ runs, ring }, report)).rejects.toMatchObject({ code: "RUN_REPORT_REPEATED" });
  });

  it("is answered with another failure than a repetition if the record changes all the time", async () => {
    const change = () => Promise.reject(new ApiError(409, { action: "PUT", detail: "" }));
    const read = () => Promise.resolve({ ...NEW, startedAt: 1000 });
    await expect(receiveReport({ runs: { read, change }, ring }, report)).rejects.toMatchObject({ status: 409 });
  });

  it("has no version of the Secret in its record", async () => {
    await open().start(NEW, 1000);
    expect(JSON.stringify(stored?.metadata.annotations)).not.toContain("version");
  });
});
