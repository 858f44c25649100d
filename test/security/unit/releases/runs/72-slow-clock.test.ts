import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchClock } from "../../../../../src/cluster/service/watch-clock.ts";
import type {
  CompositionContext,
  TrustedComposition,
} from "../../../../../src/composition/context/composition-context.ts";
import { reconcileComposition } from "../../../../../src/composition/reconcile/reconcile-composition.ts";
import { followRun, startRun } from "../../../../../src/composition/run/follow/follow-run.ts";
import { openRuns } from "../../../../../src/composition/record/open-runs.ts";
import { countRuns } from "../../../../../src/composition/run/state/run-metrics.ts";
import type { Resource } from "../../../../../src/composition/types.ts";
import { readRunRecord } from "../../../../../src/model/runs/run-record.ts";
import { formatTime } from "../../../../../src/model/time.ts";
import { secretStore } from "../../../../support/composition/secret-store.ts";
import { memoryRemovals } from "../../../../support/composition/memory-removals.ts";

const NOW = 1_800_000_000;
const HOUR = 3600;
const object: Resource = {
  ...{ apiVersion: "composition.krateo.io/v0-2-0", kind: "VmTemplate" },
  metadata: { uid: "u", namespace: "demo", name: "job" },
  spec: { provider: "gcp", duration: "30m", maxLifetime: "1h", whenDone: "delete" },
};
const composition = { key: "vmtemplates/demo/job", path: "/p", object } as unknown as TrustedComposition;

interface Clocks {
  /** The API server that stores records, the answers of all of them, and the controller. */
  storing?: number;
  answers?: number | null;
  own?: number;
}

/** A controller at an API server; each clock is so many seconds ahead of the true time. */
function world({ storing = 0, answers = 0, own = 0 }: Clocks) {
  const store = secretStore();
  const at = { storing, answers, own };
  const path = (name: string): string => `/api/v1/namespaces/landfall-system/secrets/${name}`;
  const client = {
    ...store.client,
    create(collection: string, body: Resource) {
      const metadata = { ...body.metadata, creationTimestamp: formatTime(NOW + at.storing) };
      return (store.client.create as unknown as (path: string, body: object) => Promise<Resource>)(collection, {
        ...body,
        metadata,
      });
    },
    get: (name: string) =>
      name.endsWith("/secrets")
        ? Promise.resolve({
            kind: "SecretList",
            items: [...store.objects.values()],
            metadata: { resourceVersion: "1" },
          })
        : store.client.get(name as never),
    remove: (name: string) => Promise.resolve(store.objects.delete(name)),
    patch: (_path: string, _type: string, body: unknown) => Promise.resolve(void patches.push(body)),
  } as unknown as CompositionContext["client"];
  const patches: unknown[] = [];
  const events: string[] = [];
  const runMetrics = countRuns();
  const context = {
    ...{
      client,
      runs: openRuns(client, "landfall-system"),
      keys: null,
      graceSeconds: 60,
      runMetrics,
      boots: { known: () => ({}) },
    },
    serverSeconds: () => (at.answers === null ? null : NOW + at.answers),
    nowSeconds: () => NOW + at.own,
    ...{ releases: new Map(), managed: { get: () => null }, records: { find: () => Promise.resolve(null) } },
    record: (_: Resource, { reason }: { reason: string }) => void events.push(reason),
  } as unknown as CompositionContext;
  const stored = () => {
    const secret = store.objects.get(path("landfall.run.u"));
    return secret === undefined ? null : readRunRecord(secret);
  };
  return { context, at, stored, events, patches, runMetrics };
}

const refused = { code: "RUN_CLOCKS" };

describe("72: an API server with a slow clock", () => {
  it("begins no run that would end early when the clock is set right", async () => {
    const { context, stored, at } = world({ storing: -2 * HOUR, answers: -2 * HOUR });
    await expect(startRun(context, composition)).rejects.toMatchObject(refused);
    expect(stored()).toBeNull();
    Object.assign(at, { storing: 0, answers: 0 });
    expect(await startRun(context, composition)).toMatchObject({ record: { startedAt: NOW }, step: { do: "run" } });
  });

  it("begins no run by the one server of several that is slow, or fast", async () => {
    for (const storing of [-2 * HOUR, 2 * HOUR]) {
      const { context, stored, at } = world({ storing });
      await expect(startRun(context, composition)).rejects.toMatchObject(refused);
      expect(stored()).toBeNull();
      at.storing = 1;
      expect((await startRun(context, composition))?.record.startedAt).toBe(NOW + 1);
    }
  });

  it("begins none either if the controller was killed after the record was stored", async () => {
    const { context, stored, at } = world({ storing: -2 * HOUR });
    const killed = { ...context, runs: { ...context.runs, remove: () => Promise.reject(new Error("killed")) } };
    await expect(startRun(killed, composition)).rejects.toThrow("killed");
    expect(stored()).not.toBeNull();
    at.storing = 0;
    const next = { ...context, runs: openRuns(context.client, "landfall-system") };
    await expect(followRun(next, composition)).rejects.toMatchObject(refused);
    expect(stored()).toBeNull();
    expect(await followRun(next, composition)).toBeNull();
    expect((await startRun(next, composition))?.record.startedAt).toBe(NOW);
  });

  it("does not begin the next run of an object while the clocks differ", async () => {
    const { context, at } = world({});
    await startRun(context, composition);
    const record = await context.runs.read("u");
    if (record === null) throw new TypeError("no run began");
    const over = { at: NOW + 60, by: "annotation", outcome: "succeeded" } as const;
    await context.runs.change({ ...record, end: over, plan: { ...record.plan, whenDone: "keep" } });
    const again = { ...object, metadata: { ...object.metadata, annotations: { "landfall.dev/run": "2" } } };
    at.answers = -2 * HOUR;
    await expect(followRun(context, { ...composition, object: again })).rejects.toMatchObject(refused);
    at.answers = 120;
    const next = await followRun(context, { ...composition, object: again });
    expect(next?.record).toMatchObject({ run: "2", startedAt: NOW + 120 });
  });

  it("is told in the conditions, by an Event and by a metric", async () => {
    const { context, events, patches, runMetrics } = world({ storing: -2 * HOUR, answers: -2 * HOUR });
    const served = { version: "v0-2-0", kind: "VmTemplate", plural: "vmtemplates", definition: {} };
    const labels = { "krateo.io/composition-version": "v0-2-0", "krateo.io/release-name": "job-u" };
    const adopted = {
      ...context,
      ...{ servedFor: () => served, clientIn: () => Promise.resolve(), log: { warn: () => undefined } },
      ...{
        removals: memoryRemovals(),
        bindings: {},
        retentions: {},
        looks: {},
        uninstalled: new Map(),
        retrying: new Map(),
      },
      tenant: () => ({ get: () => Promise.resolve({ items: [] }) }),
      records: { find: () => Promise.resolve(null), read: () => Promise.resolve(null) },
      rollouts: { note: () => undefined },
      client: {
        ...context.client,
        patch: (_p: string, _t: string, body: object) => (
          patches.push(body),
          Promise.resolve({ ...object, metadata: { ...object.metadata, labels } })
        ),
      },
    } as unknown as CompositionContext;
    await expect(reconcileComposition(adopted, composition)).rejects.toMatchObject(refused);
    expect(events).toContain("RUN_CLOCKS");
    expect(JSON.stringify(patches)).toContain("120 minutes apart");
    expect(await runMetrics.registry.metrics()).toContain("landfall_run_starts_refused_total 1");
  });

  it("shows the difference as a metric", async () => {
    const metrics = countRuns();
    metrics.observe({ list: () => [], boots: () => ({}), nowSeconds: () => NOW - 600, ownSeconds: () => NOW });
    expect(await metrics.registry.metrics()).toContain("landfall_clock_difference_seconds -600");
  });

  it("holds up no service, and no run over a difference of seconds", async () => {
    const service = { ...composition, object: { ...composition.object, spec: { provider: "gcp" } } };
    expect(await startRun(world({ answers: -2 * HOUR }).context, service)).toBeNull();
    const { context } = world({ storing: -20, answers: -30, own: 60 });
    expect((await startRun(context, composition))?.record.startedAt).toBe(NOW - 20);
  });
});

describe("72: a process whose clock is set", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("logs and counts steps of more than five minutes, and no smaller ones", async () => {
    const registry = new Registry();
    const warnings: unknown[] = [];
    let [elapsedMs, ahead] = [0, 0];
    const log = { warn: (fields: unknown) => void warnings.push(fields) };
    const stop = watchClock(registry, { log, nowMs: () => NOW * 1000 + elapsedMs + ahead, elapsedMs: () => elapsedMs });
    const pass = async (step: number): Promise<void> => {
      ahead += step * 1000;
      elapsedMs += 10_000;
      await vi.advanceTimersByTimeAsync(10_000);
    };
    for (const step of [0, 200, -200, 299, 3600, 0, -7200]) await pass(step);
    stop();
    expect(warnings).toEqual([{ seconds: 3600 }, { seconds: -7200 }]);
    const text = await registry.metrics();
    expect(text).toContain('landfall_clock_steps_total{direction="forward"} 1');
    expect(text).toContain('landfall_clock_steps_total{direction="back"} 1');
  });
});
