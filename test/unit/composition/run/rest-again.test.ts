import { describe, expect, it } from "vitest";
import { admit } from "../../../../src/admission/admit.ts";
import type { AdmissionContext, Outcome } from "../../../../src/admission/types.ts";
import { pausesFrom } from "../../../../src/composition/run/follow/run-pauses.ts";
import { planOf } from "../../../../src/composition/run/state/run-plan.ts";
import type { Resource } from "../../../../src/composition/types.ts";
import { readDecision } from "../../../../src/model/decision-annotation/compact-decision.ts";
import { ringOf } from "../../../../src/model/decision-annotation/key-ring.ts";
import type { ForecastBook } from "../../../../src/model/places/forecast.ts";
import { ANNOTATION } from "../../../../src/model/names.ts";
import type { RunPlan } from "../../../../src/model/runs/run-record.ts";
import { readRunRecord, startOf } from "../../../../src/model/runs/run-record.ts";
import { pausingTimes, type Pause } from "../../../../src/model/runs/run-times.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../../../../src/model/time.ts";
import type { WorkloadObject } from "../../../../src/model/workload.ts";
import { context, create, INSTALLED, patched, update, vm } from "../../../support/admission.ts";
import { loadPolicy, withSchedule } from "../../../support/load-policy.ts";
import { type Life, RunWorld } from "../../../support/composition/run-world.ts";
import { randomFrom } from "../../placement/requests.ts";

const HOUR = HOUR_SECONDS;

describe("the pauses of a run from now on", () => {
  const plan = (...pauses: [from: number, to: number][]): RunPlan => ({
    ...{ ...planOf({ duration: "20h" }, 0), resume: 600 },
    pauses: pauses.map(([from, to]): Pause => ({ from, to })),
  });
  const recorded = plan([10 * HOUR, 12 * HOUR], [14 * HOUR, 16 * HOUR]);
  const from = (decided: RunPlan, hour: number): number[][] =>
    pausesFrom(recorded, decided, HOUR, hour * HOUR).map((one) => [one.from / HOUR, one.to / HOUR]);

  it.each([
    ["other ones before the first", plan([20 * HOUR, 21 * HOUR]), 9, [[20, 21]]],
    ["none any more", plan(), 9, []],
    ["another end of the present one", plan([10 * HOUR, 13 * HOUR]), 11, [[10, 13]]],
    ["the end of the present one now", plan([10 * HOUR, 11 * HOUR]), 11, [[10, 11]]],
    ["an end that came late", plan([10 * HOUR, 10.5 * HOUR]), 11, [[10, 11]]],
    [
      "one that begins now",
      plan([10 * HOUR, 12 * HOUR], [13 * HOUR, 15 * HOUR]),
      13,
      [
        [10, 12],
        [13, 15],
      ],
    ],
    [
      "one that came late",
      plan([10 * HOUR, 12 * HOUR], [12.5 * HOUR, 15 * HOUR]),
      13,
      [
        [10, 12],
        [13, 15],
      ],
    ],
    ["one that is over already", plan([10 * HOUR, 12 * HOUR], [12.2 * HOUR, 12.6 * HOUR]), 13, [[10, 12]]],
  ])("are the decided ones: %s", (_what, decided, hour, expected) => {
    expect(from(decided, hour)).toEqual(expected);
  });

  it.each([
    ["moves a pause that has begun", plan([11 * HOUR, 13 * HOUR]), 10.5],
    ["drops a pause that has begun", plan([18 * HOUR, 19 * HOUR]), 10.5],
    ["lengthens a pause that is over", plan([10 * HOUR, 14 * HOUR]), 12.5],
    ["adds two that should have begun", plan([9 * HOUR, 9.2 * HOUR], [9.4 * HOUR, 9.8 * HOUR]), 9.9],
  ])("stay as they are recorded if a decision comes too late: it %s", (_what, decided, hour) => {
    expect(from(decided, hour)).toEqual([
      [10, 12],
      [14, 16],
    ]);
  });
});

const policy = withSchedule(await loadPolicy(), {});
const KEYS = ringOf(Buffer.alloc(32, 7));
const MOST_PAUSES = 3;

/** A forecast of Germany that was made then: some hours are green. */
function randomForecast(random: () => number, issuedAt: number): ForecastBook {
  const start = Math.floor(issuedAt / HOUR) * HOUR;
  let green = false;
  const values = Array.from({ length: 72 }, () => {
    if (random() < 0.3) green = !green;
    return green ? 30 + 40 * random() : 300 + 500 * random();
  });
  const zones = { DE: { issuedAt, start, stepSeconds: HOUR, values, band: null } };
  return { sources: [{ name: "grid", maxAgeSeconds: 96 * HOUR, zones, problems: {}, problem: null }] };
}

interface Setup {
  world: RunWorld;
  random: () => number;
  deadline: number;
}

/** The webhook: it reads the records of runs, and its clock is a little wrong. */
function contextOf({ world, random }: Setup): AdmissionContext {
  const now = Math.round(world.now + (random() - 0.5) * 20);
  const owners: AdmissionContext["owners"] = {
    ...INSTALLED,
    timesOf({ metadata }) {
      const secret = world.secrets().find((one) => readRunRecord(one)?.uid === metadata.uid);
      const record = secret === undefined ? null : readRunRecord(secret);
      return record === null || secret === undefined ? null : pausingTimes(record, startOf(record, secret).startedAt);
    },
  };
  return { ...context(policy, now, owners), keys: KEYS, forecasts: randomForecast(random, now) };
}

/** Created and decided; then its start comes, and it is resumed. */
function start(setup: Setup): Life {
  const { world, deadline } = setup;
  const spec = {
    ...{ cpu: 2, memory: 4, duration: "5h", deadline: formatTime(deadline), whenDone: "delete", provider: "gcp" },
    schedulingLocation: "europe-west3",
    interruptible: { minRun: "30m", maxPauses: MOST_PAUSES, resumeCost: "10m" },
  };
  // As the world will name it.
  const asked = vm(spec, { name: "uid-0", uid: "uid-0" });
  const stored = patched(asked, admit(create(asked), contextOf(setup)));
  world.now = parseTime(readDecision(stored)?.placement.start ?? "") ?? world.now;
  const { [ANNOTATION.paused]: _paused, ...annotations } = stored.metadata.annotations ?? {};
  return world.add({ ...stored, metadata: { ...stored.metadata, annotations } } as Resource);
}

/** The controller's request to decide it again; what is stored reaches the controller. */
function askAgain(setup: Setup, life: Life): Outcome {
  const object = life.object as WorkloadObject;
  const annotations = { ...object.metadata.annotations, [ANNOTATION.reevaluate]: "if-better" };
  const asked = { ...object, metadata: { ...object.metadata, annotations }, status: { managed: [{}] } };
  const outcome = admit(update({ ...object, status: { managed: [{}] } }, asked), contextOf(setup));
  const stored = patched(asked, outcome);
  life.object = { ...stored, status: life.object.status } as Resource;
  setup.world.touch(life);
  return outcome;
}

const wasChanged = (outcome: Outcome): boolean =>
  outcome.allowed && outcome.warnings.some((line) => line.endsWith("[MOVED]"));

/** A run whose rest is decided again every quarter of an hour, by forecasts that have nothing in common. */
async function live(seed: number, killEvery: number) {
  const random = randomFrom(seed);
  let calls = 0;
  const dies = (): boolean => killEvery > 0 && ++calls % killEvery === 0;
  const world = new RunWorld({ random, deletionSeconds: () => 20, dies, graceSeconds: 900, keys: KEYS });
  const setup: Setup = { world, random, deadline: world.now + 20 * HOUR };
  const life = start(setup);
  const begun = world.now;
  let changes = 0;
  while (world.now < setup.deadline) {
    await world.run(Math.round(900 * (0.9 + random() / 5)));
    if (wasChanged(askAgain(setup, life))) changes += 1;
  }
  return { life, changes, begun, deadline: setup.deadline };
}

describe("a run whose rest is decided again", () => {
  it.each([
    ["", 0],
    [", though its controller is killed again and again", 97],
  ])("works as long as it has to, within its pauses and its deadline%s", async (_what, killEvery) => {
    const seen = { changes: 0, pauses: 0, most: 0 };
    for (let seed = 1; seed <= 4; seed++) {
      const { life, changes, begun, deadline } = await live(seed, killEvery);
      const { power, events, machines, object } = life;
      const offs = power.filter(({ on }) => !on);
      expect(offs.length).toBeLessThanOrEqual(MOST_PAUSES);
      const ended = events.find(({ reason }) => reason === "Completed")?.at ?? Infinity;
      // A new leader takes 20 s to find an end that is due.
      expect(ended).toBeLessThanOrEqual(deadline + 30);
      expect(machines).toHaveLength(1);
      const turns = [begun, ...power.map(({ at }) => at), ended];
      const on = turns.reduce((sum, at, index) => sum + (index % 2 === 1 ? at - (turns[index - 1] ?? at) : 0), 0);
      const work = on - offs.length * 600;
      // A pause begins, and an end is found, up to 20 s late with each change of the leader.
      expect(work).toBeGreaterThanOrEqual(5 * HOUR - 20 * (1 + offs.length));
      expect(work).toBeLessThanOrEqual(5 * HOUR + 80 * (1 + offs.length));
      const account = object.status?.["run"] as { hours: string } | undefined;
      expect(Math.abs(Number(account?.hours) - on / HOUR)).toBeLessThan(0.1);
      seen.changes += changes;
      seen.pauses += offs.length;
      seen.most = Math.max(seen.most, offs.length);
    }
    expect(seen.changes).toBeGreaterThan(4);
    expect(seen.pauses).toBeGreaterThan(4);
    expect(seen.most).toBe(MOST_PAUSES);
  });
});
