import { describe, expect, it } from "vitest";
import type { Composition, CompositionContext } from "../../../../../src/composition/context/composition-context.ts";
import { reconcileComposition } from "../../../../../src/composition/reconcile/reconcile-composition.ts";
import type { FollowedRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { noteReady } from "../../../../../src/composition/run/follow/note-ready.ts";
import { planOf } from "../../../../../src/composition/run/state/run-plan.ts";
import type { ConditionInput, Resource } from "../../../../../src/composition/types.ts";
import { LandfallError } from "../../../../../src/errors.ts";
import { bootTimeOf, type ObservedBoots, withBoot } from "../../../../../src/model/places/boot-times.ts";
import type { RunRecord } from "../../../../../src/model/runs/run-record.ts";

const START = 1_800_000_000;
const KEY = "gcp/VmTemplate";
const READY: ConditionInput = { type: "Ready", status: "True", reason: "Available", message: "" };
const unready = (reason: string): ConditionInput => ({ type: "Ready", status: "False", reason, message: "" });

const RECORD: RunRecord = {
  ...{ uid: "u1", kind: "VmTemplate", namespace: "demo", name: "job", run: "", end: null, removedAt: null },
  ...{ plan: planOf({ duration: "1h" }, 900), wasReady: false, machine: null, reported: null, startedAt: START },
  ...{ pricePerHour: null, gramsCO2: null, generation: 3 },
};
const OBJECT: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate", spec: { provider: "gcp", duration: "1h" } },
  metadata: { name: "job", namespace: "demo", uid: "u1", generation: 3 },
};

/** A controller that follows one run; what it learns. */
function world() {
  const learned: unknown[] = [];
  let stored = RECORD;
  const context = {
    runs: { read: () => Promise.resolve(stored), change: (next: RunRecord) => Promise.resolve((stored = next)) },
    boots: {
      known: () => ({}),
      observe: (_provider: string, _kind: string, boot: unknown) => Promise.resolve(void learned.push(boot)),
    },
    ...{ managed: { get: () => null }, releases: new Map(), keys: null, graceSeconds: 900 },
    ...{ serverSeconds: () => START + 60, nowSeconds: () => START + 60, record: () => undefined },
    client: { patch: () => Promise.resolve() },
    servedFor: () => ({ version: "v0-2-0", kind: "VmTemplate", plural: "vmtemplates" }),
    clientIn: () => Promise.resolve(),
    records: { correct: () => Promise.resolve(), read: () => Promise.resolve(null), find: () => Promise.resolve(null) },
    log: { debug: () => undefined },
    rollouts: { note: () => undefined },
  } as unknown as CompositionContext;
  const note = (ready: ConditionInput, seconds: number, object = OBJECT, action: "run" | "pause" = "run") => {
    const step = { found: null, do: action, endsAt: null, deletesAt: null, overdueSince: null, lookAt: null };
    const run: FollowedRun = { record: stored, step, now: START + seconds };
    return noteReady(context, object, run, { ready, live: [] });
  };
  return { context, learned, note, stored: () => stored };
}

describe("75: the boot times that count for everyone", () => {
  it("have one observation of each namespace, so that one tenant cannot set them", () => {
    let seen: ObservedBoots = {};
    for (let index = 0; index < 5; index++)
      seen = withBoot(seen, KEY, { namespace: `team-${String(index)}`, seconds: 60 });
    for (let index = 0; index < 30; index++) seen = withBoot(seen, KEY, { namespace: "hostile", seconds: 3600 });
    expect(seen[KEY]).toHaveLength(6);
    expect(bootTimeOf("VmTemplate", "gcp", seen)).toEqual({ seconds: 60, source: "observed" });
  });

  it("come from at least three namespaces", () => {
    let seen: ObservedBoots = {};
    for (const namespace of ["a", "hostile", "hostile", "hostile"])
      seen = withBoot(seen, KEY, { namespace, seconds: 3600 });
    expect(bootTimeOf("VmTemplate", "gcp", seen).source).toBe("catalog");
  });

  it("learn from a boot that nothing disturbed", async () => {
    const { learned, note } = world();
    await note(unready("Creating"), 20);
    await note(READY, 70);
    expect(learned).toEqual([{ namespace: "demo", seconds: 70 }]);
  });

  it.each(["ProviderTerminal", "ProviderCapacity", "ProviderRetrying"])("learn nothing after %s", async (reason) => {
    const { learned, note, stored } = world();
    await note(unready(reason), 20);
    await note(READY, 900);
    expect(learned).toEqual([]);
    expect(stored()).toMatchObject({ wasReady: true, bootSeconds: null });
  });

  it("learn nothing after a change of the spec", async () => {
    const { learned, note } = world();
    await note(READY, 900, { ...OBJECT, metadata: { ...OBJECT.metadata, generation: 4 } });
    expect(learned).toEqual([]);
  });

  it("learn nothing after a pause of the run, or of its user", async () => {
    const { learned, note } = world();
    await note(unready("Paused"), 20, OBJECT, "pause");
    await note(READY, 900);
    expect(learned).toEqual([]);
    const paused = world();
    const annotations = { "krateo.io/paused": "true" };
    const object = { ...OBJECT, metadata: { ...OBJECT.metadata, annotations } };
    await reconcileComposition(paused.context, { key: "k", path: "/p", object } as unknown as Composition);
    await paused.note(READY, 900);
    expect(paused.learned).toEqual([]);
  });

  it("learn nothing after an installation that failed, for instance because another object has the name", async () => {
    const { context, learned, note } = world();
    const thrown = new LandfallError("REL_IDENTITY", { namespace: "demo", detail: "" });
    const failing = {
      ...context,
      bindings: { bind: () => Promise.reject(thrown) },
      records: { find: () => Promise.reject(thrown), read: () => Promise.resolve(null) },
    };
    const labelled = { ...OBJECT.metadata, labels: {} };
    const composition = { key: "k", path: "/p", object: { ...OBJECT, metadata: labelled } } as unknown as Composition;
    await expect(reconcileComposition(failing as unknown as CompositionContext, composition)).rejects.toThrow();
    await note(READY, 900);
    expect(learned).toEqual([]);
  });
});
