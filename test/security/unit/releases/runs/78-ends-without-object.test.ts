import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import type {
  CompositionContext,
  TrustedComposition,
} from "../../../../../src/composition/context/composition-context.ts";
import { endGone } from "../../../../../src/composition/gone/end-gone.ts";
import { LABEL } from "../../../../../src/composition/keys.ts";
import { endDue } from "../../../../../src/composition/run/end/end-due.ts";
import { startRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { goneKey } from "../../../../../src/composition/run/end/gone-run.ts";
import { countRuns } from "../../../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import { takenOver } from "../../../../../src/composition/run/follow/first-start.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

const START = 1_800_000_000;
const log = pino({ level: "silent" });

const runOf = (uid: string, spec: Record<string, unknown>, given: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid, kind: "VmTemplate", namespace: "demo", name: "web", run: "", startedAt: START, end: null, removedAt: null },
  ...{ wasReady: true, machine: null, reported: null, pricePerHour: null, gramsCO2: null, plan: planOf(spec, 60) },
  ...given,
});
const hour = { duration: "1h", whenDone: "delete" };

afterEach(() => {
  vi.useRealTimers();
});

interface World {
  now?: number;
  /** The uid of what has the object's name by now. */
  present?: string | null;
  /** The label of that with the name of its release. */
  label?: string;
  /** The run that is recorded for that. */
  own?: Partial<RunRecord>;
  release?: string | null;
  hasNamespace?: boolean;
  /** Values of what is installed. */
  installed?: Record<string, unknown>;
}

/** Ends the run of an object that is gone in a cluster where its release installed nothing that is left. */
async function ended(run: RunRecord, { now = START + 7200, present = null, label, own, ...world }: World) {
  const { release = "web-1", hasNamespace = true, installed } = world;
  const { kind, namespace, name } = run;
  const labels = label === undefined ? {} : { [LABEL.releaseName]: label };
  const record = installed && { revisions: [{ labels: {}, release: { config: installed, manifest: "" } }] };
  const calls: string[] = [];
  const say = (what: string) => (uid: unknown) => Promise.resolve(void calls.push(`${what} ${String(uid)}`));
  const get = (path: string): Promise<unknown> =>
    Promise.resolve(
      path === "/api/v1/namespaces/demo"
        ? hasNamespace && { kind: "Namespace" }
        : present && { kind, metadata: { uid: present, namespace, name, labels } },
    ).then((found) => found || null);
  const resources = [{ kind: "VmTemplate", name: "vmtemplates", namespaced: true }];
  const context = {
    client: { get, remove: () => Promise.resolve() },
    discovery: { group: () => Promise.resolve([{ apiVersion: "composition.krateo.io/v0-2-0", resources }]) },
    runs: {
      read: (uid: string) =>
        Promise.resolve(uid === run.uid ? run : own === undefined ? null : { ...run, ...own, uid }),
      change: (next: RunRecord) => Promise.resolve(next),
      remove: say("forget"),
    },
    removals: memoryRemovals(),
    retentions: { ended: say("counts no more") },
    records: {
      find: () => Promise.resolve(release),
      read: () => Promise.resolve(record ?? null),
      change: say("no record"),
    },
    // No release of the uid is known to helm, and nothing in the namespace has its marks.
    tenant: () => ({ get: () => Promise.resolve(null), create: () => Promise.resolve({}) }),
    clientIn: say("acts in"),
    ...{ serverSeconds: () => now, releases: new Map(), uninstalled: new Map(), retrying: new Map(), log },
    ...{ looks: { forget: () => undefined }, managed: { release: () => undefined }, servedFor: () => null },
    ...{ runMetrics: countRuns(), record: (_: Resource, { reason }: { reason: string }) => void calls.push(reason) },
  } as unknown as CompositionContext;
  const result = await endGone(context, goneKey(run)).catch((thrown: unknown) => String(thrown));
  return { calls, result };
}

describe("78: the run of an object that is gone", () => {
  it("ends with the rights of its namespace, and then neither run nor release is recorded", async () => {
    const { calls } = await ended(runOf("one", hour), {});
    expect(calls).toEqual([
      "acts in demo",
      "acts in demo",
      "no record demo",
      "DeletedAfterEnd",
      "counts no more one",
      "forget one",
    ]);
  });

  it("goes on until its end, and its deletion keeps the grace period", async () => {
    for (const now of [START + 60, START + 3630]) expect((await ended(runOf("one", hour), { now })).calls).toEqual([]);
  });

  it("is not touched while the object is there", async () => {
    expect((await ended(runOf("one", hour), { present: "one" })).calls).toEqual([]);
  });

  it.each<[string, World]>([
    ["it does not have the release", {}],
    ["it has another release", { label: "web-2" }],
    ["it has another run of its own", { label: "web-1", own: {} }],
  ])("ends if another object has the name by now: %s", async (_what, world) => {
    const { calls } = await ended(runOf("one", hour), { present: "two", ...world });
    expect(calls).toContain("DeletedAfterEnd");
    expect(calls).toContain("forget one");
  });

  it("is left to the restored object that has its release, and gets its record at its next reconcile", async () => {
    const end = { at: START + 3600, by: "time", outcome: "unknown" } as const;
    for (const run of [
      runOf("one", hour),
      runOf("one", hour, { end }),
      runOf("one", hour, { end, removedAt: START + 5000 }),
    ])
      expect((await ended(run, { present: "two", label: "web-1" })).calls).toEqual([]);
    expect((await ended(runOf("one", hour, { run: "2" }), { present: "two", label: "web-1" })).calls).toContain(
      "forget one",
    );
  });

  it("is forgotten if the restored object has its record already: a controller was killed meanwhile", async () => {
    const { calls } = await ended(runOf("one", hour), { present: "two", label: "web-1", own: { formerUid: "one" } });
    expect(calls).toEqual(["forget one"]);
  });

  it("is forgotten without a call if its release is another object's by now", async () => {
    const { calls } = await ended(runOf("one", hour), { release: null });
    expect(calls).toEqual(["counts no more one", "forget one"]);
  });

  it("is forgotten with the record of its release if its namespace is gone, since that would count for ever (95)", async () => {
    const { calls } = await ended(runOf("one", hour), { hasNamespace: false });
    expect(calls).toEqual(["no record demo", "counts no more one", "forget one"]);
    const retained = await ended(runOf("one", hour), { hasNamespace: false, installed: { deletionPolicy: "retain" } });
    expect(retained.calls).toEqual(["no record demo", "forget one"]);
  });

  it("still counts if nothing of it is to be ended", async () => {
    for (const spec of [{ ...hour, deletionPolicy: "retain" }, { duration: "1h" }])
      expect((await ended(runOf("one", spec), {})).calls).toEqual(["forget one"]);
  });

  it("still counts if an uninstall would leave its machine at the provider", async () => {
    const { calls } = await ended(runOf("one", hour), { installed: { deletionPolicy: "retain" } });
    expect(calls).toEqual(["acts in demo", "forget one"]);
  });

  it("is not forgotten if its machine is to be stopped and no chart is served", async () => {
    const { calls, result } = await ended(runOf("one", { duration: "1h", whenDone: "stop" }), {});
    expect(calls).toContain("EndFailed");
    expect(result).toContain("no CompositionDefinition serves its chart");
  });
});

describe("78: the controller", () => {
  it("ends runs without an object when all objects are listed, and not before", async () => {
    vi.useFakeTimers();
    const runs = [runOf("due", hour), runOf("later", { ...hour, duration: "9h" })];
    let isCurrent = false;
    const reconcileNow = vi.fn<(key: string) => void>();
    const context = { runs: { list: () => runs }, serverSeconds: () => START + 7200 };
    const stop = endDue({ context, list: () => [], isCurrent: () => isCurrent, reconcileNow, log });
    await vi.advanceTimersByTimeAsync(3000);
    expect(reconcileNow).not.toHaveBeenCalled();
    isCurrent = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(reconcileNow.mock.calls).toEqual([["~run/demo/due"]]);
    await stop();
  });

  it("counts the limit of a machine that another object takes over since its first start", async () => {
    const labels = { [LABEL.releaseName]: "web-1" };
    const object = {
      apiVersion: "x/v1",
      kind: "VmTemplate",
      metadata: { uid: "two", namespace: "demo", name: "web", labels },
    };
    const releases: Record<string, string> = { one: "web-1", other: "web-2" };
    const runs = ["one", "other", "two"].map((uid) => runOf(uid, hour));
    const parts = {
      runs: { list: () => runs },
      records: { find: (_: string, uid: string) => Promise.resolve(releases[uid] ?? null) },
    } as unknown as CompositionContext;
    expect((await takenOver(parts, object)).map(({ uid }) => uid)).toEqual(["one"]);
    const clocks = { serverSeconds: () => START, nowSeconds: () => START };
    const given: Partial<RunRecord>[] = [];
    const start = (record: Partial<RunRecord>) => Promise.reject(new Error(String(given.push(record))));
    const context = {
      ...parts,
      runs: { ...parts.runs, start },
      graceSeconds: 60,
      ...clocks,
    } as unknown as CompositionContext;
    const started = { ...object, spec: hour };
    const composition = { key: "k", path: "/p", object: started } as unknown as TrustedComposition;
    await expect(startRun(context, composition)).rejects.toThrow("1");
    expect(given[0]).toMatchObject({ uid: "two", firstStartedAt: START });
    expect(await takenOver(parts, { ...object, metadata: { ...object.metadata, name: "db" } })).toEqual([]);
  });
});
