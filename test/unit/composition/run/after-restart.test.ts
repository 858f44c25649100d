// A controller that starts again knows none of its releases: it looks at the machines of recorded runs itself, whatever it is to do about them.
import { describe, expect, it } from "vitest";
import { apiPath } from "../../../../src/cluster/api-path.ts";
import { reportPause } from "../../../../src/composition/reconcile/report-pause.ts";
import type { FollowedRun } from "../../../../src/composition/run/follow/follow-run.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { formatTime } from "../../../../src/model/time.ts";
import {
  cnrm,
  decisionOf,
  HOUR,
  revisionOf,
  RunWithMachine,
  START,
} from "../../../support/composition/run-with-machine.ts";

const machine = (currentStatus: string): Resource =>
  cnrm("ComputeInstance", null, { status: { currentStatus, instanceId: "1" } });
const PAUSED = { "krateo.io/paused": "true" };
const RUN = { duration: "10h", whenDone: "delete", provider: "gcp" };
const DEPLOYED = [revisionOf("deployed", [machine("RUNNING")])];

/** A controller that has just started, and this machine. */
function started(given: Partial<ConstructorParameters<typeof RunWithMachine>[0]>, live: Resource[]): RunWithMachine {
  const world = new RunWithMachine({ spec: RUN, revisions: DEPLOYED, ...given });
  world.live = live;
  return world;
}

/** Reconciles an object that its user pauses. What it writes of the run, and when it looks again. */
async function held(world: RunWithMachine, hours: number): Promise<{ run: FollowedRun; requeueAfter: number | null }> {
  world.now = START + hours * HOUR;
  const run = await world.follow();
  const composition = { key: "u", path: apiPath`/apis/x`, object: world.object };
  return { run, ...(await reportPause(world.context, composition, run)) };
}

describe("a run whose object is paused when the controller starts again", () => {
  it("begins once its refused machine is there", async () => {
    const world = started({ annotations: PAUSED, record: { refused: true } }, [machine("RUNNING")]);
    await held(world, 3);
    expect(world.record).toMatchObject({ startedAt: START + 3 * HOUR, wasReady: true });
    expect(world.record).not.toHaveProperty("refused");
  });

  it("begins again once its evicted machine is there", async () => {
    const evictions = { count: 1, waiting: true };
    const meter = { hours: 1, usd: 1, at: START, on: false };
    const world = started({ annotations: PAUSED, record: { evictions, meter } }, [machine("RUNNING")]);
    await held(world, 2);
    expect(world.record).toMatchObject({
      evictions: { count: 1, waiting: false },
      wasReady: true,
      meter: { on: true },
    });
  });

  it("ends when its machine ended, and is looked at without an event", async () => {
    const world = started({ annotations: PAUSED, record: { wasReady: true } }, [machine("RUNNING")]);
    expect((await held(world, 2)).requeueAfter).toBe(600_000);
    world.live = [machine("TERMINATED")];
    world.forget();
    expect((await held(world, 2.5)).run.record.end).toMatchObject({ by: "provider", at: START + 2.5 * HOUR });
  });

  it("counts a machine that a user stops and starts by hand", async () => {
    const pauses = [{ from: START + HOUR, to: START + 2 * HOUR }];
    const spec = { ...RUN, interruptible: { minRun: "1h" } };
    const annotations = {
      ...PAUSED,
      ...decisionOf([
        [0, 1],
        [2, 11.2],
      ]),
    };
    const meter = { hours: 1, usd: 1, at: START + HOUR, on: false };
    const world = started({ spec, annotations, record: { meter } }, [machine("TERMINATED")]);
    const { plan } = world.record ?? {};
    world.record = { ...world.record, plan: { ...plan, pauses, resume: 600 } } as typeof world.record;
    await held(world, 3);
    expect(world.record?.meter).toEqual(meter);
    world.live = [machine("RUNNING")];
    await held(world, 4);
    expect(world.record).toMatchObject({ wasReady: true, meter: { hours: 1, at: START + 4 * HOUR, on: true } });
  });
});

describe("a run that is over and kept when the controller starts again", () => {
  const ended = { at: START + HOUR, by: "time", outcome: "unknown" } as const;
  const KEPT = { ...RUN, duration: "1h", whenDone: "keep", maxLifetime: "100h" };

  it("costs nothing once its machine is off, and again once that is on", async () => {
    const world = started({ spec: KEPT, record: { wasReady: true, end: ended } }, [machine("TERMINATED")]);
    const off = await world.look(5);
    expect(off.record.off).toBe(true);
    expect(world.condition(off, "Overdue")?.message).toContain("its machine is off");
    world.forget();
    world.live = [machine("RUNNING")];
    const on = await world.look(6);
    expect(on.record.off).toBeUndefined();
    expect(world.condition(on, "Overdue")?.message).toContain("0.00 USD since then, 1.0000 USD for each hour");
    expect(world.condition(await world.look(8), "Overdue")?.message).toContain("2.00 USD since then");
  });
});

describe("a service that gets an end while its user pauses it", () => {
  const service = (spec: Record<string, unknown>): RunWithMachine => {
    const annotations = {
      ...PAUSED,
      "landfall.dev/decision": JSON.stringify({ placement: { start: formatTime(START) } }),
    };
    const world = started({ spec, annotations }, [machine("RUNNING")]);
    world.record = null;
    world.object = { ...world.object, status: { managed: [{}] } };
    return world;
  };

  it("has a run from its start, which its limit ends", async () => {
    const world = service({ provider: "gcp", maxLifetime: "5h" });
    world.now = START + 2 * HOUR;
    expect((await world.follow()).step).toMatchObject({ do: "run", deletesAt: START + 5 * HOUR });
    expect(world.record).toMatchObject({ startedAt: START, plan: { maxLifetime: 5 * HOUR } });
    world.now = START + 5 * HOUR;
    expect((await world.follow()).step).toMatchObject({ do: "remove" });
  });

  it("has none without an end, and none before anything is installed", async () => {
    await expect(service({ provider: "gcp" }).follow()).rejects.toThrow("no run is recorded");
    const waiting = service({ provider: "gcp", maxLifetime: "5h" });
    waiting.object = { ...waiting.object, status: {} };
    await expect(waiting.follow()).rejects.toThrow("no run is recorded");
  });
});
