// What an object asks for, beside what is recorded of its last run: whether another run begins, and what it has of the last one.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import type { Composition, CompositionContext } from "../../../../src/composition/context/composition-context.ts";
import { followRun } from "../../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../../src/composition/run/follow/note-ready.ts";
import { noteRefusal } from "../../../../src/composition/run/follow/note-refusal.ts";
import { countRuns } from "../../../../src/composition/run/state/run-metrics.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import { nextRunStep } from "../../../../src/composition/run/state/next-run-step.ts";
import type { Release } from "../../../../src/composition/managed/release.ts";
import type { ConditionInput, Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import { NEW_METER, type RunRecord } from "../../../../src/model/runs/run-record.ts";
import { lostSeconds } from "../../../../src/composition/run/state/late-resume.ts";
import { seenOf } from "../../../support/composition/seen-of.ts";

const NOW = 1_800_000_000;
const HOUR = 3600;
const GRACE = 900;
const KEPT = { duration: "1h" };
const STOPPED = { duration: "1h", whenDone: "stop" };
const DELETED = { duration: "1h", whenDone: "delete" };
type Spec = Record<string, unknown>;

const objectOf = (spec: Spec, run: string, more: Record<string, string> = {}): Resource => ({
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec },
  metadata: {
    ...{ uid: "u", name: "job", namespace: "demo", generation: 4 },
    annotations: { ...(run === "" ? {} : { [ANNOTATION.run]: run }), ...more },
  },
});

/** The record of run `1`, which began two hours ago and whose machine worked. */
const recordOf = (spec: Spec, more: Partial<RunRecord> = {}): RunRecord => ({
  ...{ uid: "u", kind: "VmTemplate", namespace: "demo", name: "job", run: "1", generation: 2 },
  ...{ plan: planOf(spec, GRACE), startedAt: NOW - 2 * HOUR, end: null, removedAt: null, wasReady: true },
  ...{ machine: null, reported: null, pricePerHour: 0.1, gramsCO2: 5, bootSeconds: 40, ...more },
});

const ENDED = { at: NOW - HOUR, by: "machine", outcome: "failed" } as const;

/** A controller with this record, and what it did with it. */
function world(record: RunRecord | null) {
  const changed: RunRecord[] = [];
  const removed: string[] = [];
  const events: string[] = [];
  let stored = record;
  const context = {
    keys: null,
    graceSeconds: GRACE,
    ...{ serverSeconds: () => NOW, nowSeconds: () => NOW, runMetrics: countRuns(), releases: new Map() },
    ...{ records: { find: () => Promise.resolve(null), read: () => Promise.resolve(null) } },
    record: (_object: Resource, { reason }: { reason: string }) => events.push(reason),
    boots: {
      known: () => ({}),
      observe: (_provider: string, _kind: string, { seconds }: { seconds: number }) => learn(seconds),
    },
    runs: {
      read: () => Promise.resolve(stored),
      list: () => (stored === null ? [] : [stored]),
      change: (next: RunRecord) => {
        changed.push(next);
        stored = next;
        return Promise.resolve(next);
      },
      remove: (uid: string) => {
        removed.push(uid);
        stored = null;
        return Promise.resolve();
      },
    },
  };
  const learned: number[] = [];
  const learn = (seconds: number): Promise<void> => {
    learned.push(seconds);
    return Promise.resolve();
  };
  return { context: context as unknown as CompositionContext, changed, removed, events, learned };
}

const follow = (context: CompositionContext, object: Resource) => {
  const composition: Composition = { key: "k", path: apiPath`/apis/x`, object };
  return followRun(context, composition);
};

describe("an object that asks for another run", () => {
  it.each<[string, { spec: Spec; run: string; record: Partial<RunRecord>; more?: Record<string, string> }]>([
    ["while the last one lasts", { spec: KEPT, run: "2", record: {} }],
    [
      "while what is to be deleted is still there",
      { spec: DELETED, run: "2", record: { end: { ...ENDED, at: NOW - 60 } } },
    ],
    [
      "while its user pauses it",
      { spec: KEPT, run: "2", record: { end: ENDED }, more: { [ANNOTATION.paused]: "true" } },
    ],
    ["by the value that it has", { spec: KEPT, run: "1", record: { end: ENDED } }],
    ["by no value", { spec: KEPT, run: "", record: { end: ENDED } }],
    [
      "by the value that it has, when nothing is left",
      { spec: DELETED, run: "1", record: { end: ENDED, removedAt: 1 } },
    ],
  ])("gets none %s", async (_what, { spec, run, record, more }) => {
    const { context, events, removed } = world(recordOf(spec, record));
    const followed = await follow(context, objectOf(spec, run, more));
    expect(followed?.record.run).toBe("1");
    expect([events.includes("AnotherRun"), removed]).toEqual([false, []]);
  });

  it.each([
    [KEPT, NOW - 2 * HOUR],
    [STOPPED, NOW],
  ])("gets one on what is there, with nothing of the last run: %o", async (spec, firstStartedAt) => {
    const { context, events } = world(
      recordOf(spec, {
        ...{ end: ENDED, reported: { exitCode: 1 }, machine: { uid: "m", id: "i-1" }, refused: true },
        ...{ before: { hours: 3, usd: 1 }, fallbacks: { sizes: 1, places: 2 }, evictions: { count: 2, waiting: true } },
        ...{ lostSeconds: 60, graceFrom: NOW - 60, meter: { hours: 2, usd: 1, at: NOW - HOUR, on: false } },
      }),
    );
    const followed = await follow(context, objectOf(spec, "2"));
    expect(events).toEqual(["AnotherRun"]);
    expect(followed?.record).toEqual({
      ...recordOf(spec),
      ...{ run: "2", reporter: "1", startedAt: NOW, firstStartedAt, generation: 4, wasReady: false },
      meter: NEW_METER,
      // One that was stopped is asked to start.
      ...(firstStartedAt === NOW ? { asked: { on: true, at: 0 } } : {}),
    });
    expect(followed?.step.do).toBe("run");
  });

  it("keeps the start of its machine, from which its limit counts, over several runs", async () => {
    const first = NOW - 30 * HOUR;
    const { context } = world(recordOf(KEPT, { end: ENDED, firstStartedAt: first }));
    expect((await follow(context, objectOf(KEPT, "3")))?.record.firstStartedAt).toBe(first);
  });

  it("begins from nothing when nothing of the last run is left", async () => {
    const { context, removed, changed } = world(recordOf(DELETED, { end: ENDED, removedAt: NOW - 60 }));
    expect(await follow(context, objectOf(DELETED, "2"))).toBeNull();
    expect([removed, changed]).toEqual([["u"], []]);
  });

  it("waits until admission decided the new one, when nothing of the last run is left", async () => {
    const { context, removed } = world(recordOf(DELETED, { end: ENDED, removedAt: NOW - 60 }));
    context.keys = () => ringOf(Buffer.alloc(32, 1));
    const followed = await follow(context, objectOf(DELETED, "2"));
    expect([followed?.record.run, removed]).toEqual(["1", []]);
  });
});

describe("the plan of a recorded run", () => {
  const pausing = { duration: "6h", interruptible: {}, whenDone: "delete" };
  const pauses = [{ from: NOW - HOUR / 2, to: NOW + HOUR }];

  it("follows the object where it never had pauses", async () => {
    const { context } = world(recordOf({ duration: "6h", whenDone: "delete" }));
    const followed = await follow(context, objectOf({ duration: "8h", whenDone: "delete" }, "1"));
    expect(followed?.record.plan).toMatchObject({ duration: 8 * HOUR });
    expect(followed?.record.plan).not.toHaveProperty("pauses");
  });

  it("keeps the pauses that have begun, and their resume", async () => {
    const plan = { ...planOf(pausing, GRACE), pauses, resume: 300 };
    const { context } = world(recordOf(pausing, { plan, wasReady: false }));
    const followed = await follow(context, objectOf(pausing, "1"));
    expect(followed?.record.plan).toMatchObject({ pauses, resume: 300 });
    expect(followed?.step).toMatchObject({ do: "pause", pausedUntil: NOW + HOUR });
  });

  it.each([
    [1, true],
    [1.01, false],
  ])(
    "loses work if its machine is missing until its deadline, but for a time lapse of %d",
    async (timeLapse, loses) => {
      const late = [{ from: NOW - 1.5 * HOUR, to: NOW - HOUR }];
      const plan = { ...planOf(pausing, GRACE), pauses: late, resume: 600 };
      const { context, events } = world(recordOf(pausing, { plan, wasReady: false }));
      const object = objectOf({ ...pausing, deadline: formatTime(NOW + 4.7 * HOUR) }, "1");
      const followed = await follow(Object.assign(context, { timeLapse }), object);
      expect((followed?.record.lostSeconds ?? 0) > 0).toBe(loses);
      expect(events.includes("WorkLost")).toBe(loses);
    },
  );

  it("keeps all pauses of a run that is over, for its account", async () => {
    const past = [{ from: NOW - 1.5 * HOUR, to: NOW - HOUR }];
    const plan = { ...planOf(pausing, GRACE), pauses: past, resume: 600 };
    const { context } = world(recordOf(pausing, { plan, end: { ...ENDED, at: NOW - 60 } }));
    expect((await follow(context, objectOf(pausing, "1")))?.record.plan.pauses).toEqual(past);
  });
});

const READY: ConditionInput = { type: "Ready", status: "True", reason: "Ready", message: "" };
const SOLD_OUT: ConditionInput = { type: "Ready", status: "False", reason: "ProviderCapacity", message: "" };
const CREATING: ConditionInput = { type: "Ready", status: "False", reason: "Creating", message: "" };

const runOf = (record: RunRecord) => ({ record, step: nextRunStep(record.plan, record, null, NOW), now: NOW });
const spec = { ...DELETED, duration: "6h", provider: "gcp" };
/** A run that began a minute ago and has no machine yet. */
const starting = (more: Partial<RunRecord> = {}): RunRecord => {
  const { bootSeconds: _boot, ...record } = recordOf(spec, { startedAt: NOW - 60, wasReady: false, generation: 4 });
  return { ...record, ...more };
};

describe("a machine that is ready", () => {
  const note = async (record: RunRecord, ready: ConditionInput) => {
    const { context, changed, events, learned } = world(record);
    const isChanged = await noteReady(context, objectOf(spec, "1"), runOf(record), seenOf(context, ready));
    return { isChanged, newest: changed.at(-1) ?? null, events, learned };
  };

  it("is noted once, and its time to boot learned", async () => {
    const { newest, learned, isChanged } = await note(starting(), READY);
    expect(newest).toEqual({ ...starting(), wasReady: true, bootSeconds: 60 });
    expect([learned, isChanged]).toEqual([[60], false]);
    expect((await note(starting({ wasReady: true, bootSeconds: 60 }), READY)).newest).toBeNull();
  });

  it.each<[string, Partial<RunRecord>, number | null]>([
    ["an earlier machine", { firstStartedAt: NOW - HOUR }, null],
    ["a spec that was changed", { generation: 3 }, null],
    ["a boot that was learned before", { bootSeconds: 20 }, 20],
    ["a boot that says nothing of the provider", { bootSeconds: null }, null],
  ])("teaches nothing of %s", async (_what, more, bootSeconds) => {
    const { newest, learned } = await note(starting(more), READY);
    expect(newest).toMatchObject({ wasReady: true, bootSeconds });
    expect(learned).toEqual([]);
  });

  it("begins the run again after an eviction, with the limit of its first start", async () => {
    const evicted = starting({ evictions: { count: 2, waiting: true }, bootSeconds: null });
    const { newest, events, isChanged } = await note(evicted, READY);
    expect(newest).toMatchObject({ startedAt: NOW, firstStartedAt: NOW - 60, evictions: { count: 2, waiting: false } });
    expect([events, isChanged]).toEqual([["StartedAgain"], true]);
  });

  it.each<[string, Partial<RunRecord>, ConditionInput]>([
    ["before it is", {}, CREATING],
    ["after the end", { end: ENDED }, READY],
  ])("is not noted %s", async (_what, more, ready) => {
    expect((await note(starting(more), ready)).newest).toBeNull();
  });

  it("spoils the measurement of its boot if its provider refuses it, once", async () => {
    const { newest, learned } = await note(starting(), SOLD_OUT);
    expect([newest, learned]).toEqual([{ ...starting(), bootSeconds: null }, []]);
    expect((await note(starting({ bootSeconds: null }), SOLD_OUT)).newest).toBeNull();
  });

  it("spoils the measurement of its boot by a pause before it is ready", async () => {
    const plan = { ...planOf(spec, GRACE), pauses: [{ from: NOW - 30, to: NOW + HOUR }] };
    expect((await note(starting({ plan }), CREATING)).newest).toEqual({ ...starting({ plan }), bootSeconds: null });
  });

  it("is not noted if another run was recorded meanwhile, nor its boot spoilt if it was ready meanwhile", async () => {
    const run = runOf(starting());
    const other = world(starting({ run: "2" }));
    expect(await noteReady(other.context, objectOf(spec, "1"), run, { ready: READY, live: [] })).toBe(false);
    const { bootSeconds: _boot, ...ready } = starting({ wasReady: true });
    const noted = world(ready);
    expect(await noteReady(noted.context, objectOf(spec, "1"), run, { ready: SOLD_OUT, live: [] })).toBe(false);
    expect([other.changed, noted.changed]).toEqual([[], []]);
  });

  it("is not noted while its provider still shows the end of the run before", async () => {
    const { context, changed } = world(starting());
    const instance: Resource = {
      ...{ apiVersion: "compute.cnrm.cloud.google.com/v1beta1", kind: "ComputeInstance", metadata: {} },
      status: { currentStatus: "TERMINATED" },
    };
    context.releases.set("u", { objects: [{}] } as unknown as Release);
    Object.assign(context, { managed: { get: () => instance } });
    expect(await noteReady(context, objectOf(spec, "1"), runOf(starting()), seenOf(context, READY))).toBe(false);
    expect(changed).toEqual([]);
  });
});

describe("a machine that is refused", () => {
  const note = async (
    record: RunRecord,
    wanted: { ready: ConditionInput; hasMachine: boolean },
    kind = "VmTemplate",
  ) => {
    const { context, changed } = world(record);
    const hasBegun = await noteRefusal(context, { ...objectOf(spec, "1"), kind }, runOf(record), {
      live: [],
      ...wanted,
    });
    return { hasBegun, newest: changed.at(-1) ?? null };
  };

  it("is recorded once, and begins its run when it is there", async () => {
    const without = { ready: SOLD_OUT, hasMachine: false };
    const refused = await note(starting(), without);
    expect(refused).toEqual({ hasBegun: false, newest: { ...starting(), refused: true } });
    expect((await note(starting({ refused: true }), without)).newest).toBeNull();
    const meter = { ...NEW_METER, at: NOW };
    const begun = await note(starting({ refused: true }), { ready: CREATING, hasMachine: true });
    expect(begun).toEqual({
      hasBegun: true,
      newest: { ...starting(), startedAt: NOW, firstStartedAt: NOW - 60, meter },
    });
  });

  it("ends no later than its deadline, and has lost the work that does not fit", async () => {
    const plan = { ...planOf(spec, GRACE), deadline: NOW + 6 * HOUR - 30 };
    const { newest } = await note(starting({ plan, refused: true }), { ready: CREATING, hasMachine: true });
    expect(newest).toMatchObject({ startedAt: NOW, firstStartedAt: NOW - 60 });
    expect(newest).not.toHaveProperty("refused");
    const record = newest ?? starting();
    expect(lostSeconds(plan, record)).toBe(30);
    const ended = nextRunStep(plan, { ...record, lostSeconds: 30 }, null, NOW + 6 * HOUR - 30);
    expect(ended.found).toEqual({ at: NOW + 6 * HOUR - 30, by: "time", outcome: "failed" });
  });

  it.each<[string, Partial<RunRecord>, { ready: ConditionInput; hasMachine: boolean }, string?]>([
    ["is only being created", {}, { ready: CREATING, hasMachine: false }],
    ["is there", {}, { ready: SOLD_OUT, hasMachine: true }],
    ["worked before", { wasReady: true }, { ready: SOLD_OUT, hasMachine: false }],
    ["was evicted", { evictions: { count: 1, waiting: true } }, { ready: SOLD_OUT, hasMachine: false }],
    ["is over", { end: ENDED }, { ready: SOLD_OUT, hasMachine: false }],
    ["is a cluster", {}, { ready: SOLD_OUT, hasMachine: false }, "KaasCluster"],
  ])("counts as none if it %s", async (_what, more, wanted, kind) => {
    expect(await note(starting(more), wanted, kind)).toEqual({ hasBegun: false, newest: null });
  });

  it("begins nothing if another run was recorded meanwhile, or its end", async () => {
    const run = runOf(starting({ refused: true }));
    for (const newest of [starting({ run: "2" }), starting({ end: ENDED })]) {
      const { context, changed } = world(newest);
      const wanted = { ready: CREATING, hasMachine: true };
      expect(await noteRefusal(context, objectOf(spec, "1"), run, { live: [], ...wanted })).toBe(false);
      expect(changed).toEqual([]);
    }
  });
});
