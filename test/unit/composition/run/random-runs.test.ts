// Runs at a provider that does what its resource says, with faults at random: what the controller says of them is compared with what happened.
import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../../../src/model/runs/run-record.ts";
import { runAccount } from "../../../../src/composition/run/state/run-account.ts";
import { randomOf } from "../../../support/ledger/random-of.ts";
import { decisionOf, HOUR, START } from "../../../support/composition/run-with-machine.ts";
import { Draws, HORIZON, type RandomPlan } from "../../../support/composition/random-plan.ts";
import { RandomRun, seenAt, type Span, STEP } from "../../../support/composition/random-run.ts";

const GRACE = 900;

/** A run that was drawn, and its life. */
interface Plan extends RandomPlan {
  world: RandomRun;
}

const overlap = (spans: readonly Span[], until: number): number =>
  spans.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, until) - from), 0);

interface Checked extends Plan {
  record: RunRecord;
  /** When it began, and its end or the end of the time that is looked at, in seconds since START. */
  since: number;
  until: number;
  /** Hours for which its machine was on, and those of them of which nobody could know. */
  truly: number;
  unseen: number;
}

function checked(plan: Plan, begun: number): Checked {
  const { world, faults } = plan;
  const record = world.record as RunRecord;
  const since = begun;
  const until = (record.end?.at ?? world.now) - START;
  // What happens just before a time in which nobody looks is seen only after it.
  const blind = [...faults.outages, ...faults.silences].map(([from, to]) => [from - 2 * STEP, to] as const);
  const unseen = world.unseen(blind, since, until);
  return { ...plan, record, since, until, truly: world.hoursOn(since, until), unseen };
}

/** Whether the account of a run differs from what its machine did, by more than could be seen. */
function wrongAccount({ record, until, truly, unseen, world }: Checked): string[] {
  const { hours } = runAccount(record, START + until);
  const slack = unseen + 0.1 * (1 + world.on.length);
  return Math.abs(hours - truly) > slack
    ? [`counts ${hours.toFixed(2)} h of ${truly.toFixed(2)} h (${slack.toFixed(2)})`]
    : [];
}

/** Whether a run that has an end by its plan has none. */
function noEnd({ spec, record, limit }: Checked): string[] {
  const isOpen = spec["whenDone"] === "keep" && limit === Infinity;
  const waits = record.evictions?.waiting === true || record.refused === true;
  return record.end !== null || isOpen || waits ? [] : ["never ends"];
}

/** Whether time ended a run too late, before its work was done, or as failed although it was. */
function wrongEnd(run: Checked): string[] {
  const { record, until, truly, unseen } = run;
  if (record.end?.by !== "time") return [];
  const duration = run.duration / HOUR;
  const late = run.since === 0 ? until - Math.min(run.deadline, run.limit) : 0;
  if (late > STEP) return [`ends ${String(late)} s late`];
  const { evictions, plan } = record;
  const atLeast = truly - unseen - (plan.pauses ?? []).length / 6 - 0.1;
  // The time until its machine is started is part of the run, also if its operator says nothing, or its release cannot be upgraded.
  const idle = overlap([...run.faults.silences, ...run.faults.failures], until) / HOUR;
  const atMost = truly + unseen + idle + 0.1 * (1 + run.world.on.length);
  if (record.end.outcome !== "failed") return atMost < duration ? [`is done after ${truly.toFixed(2)} h`] : [];
  return atLeast >= duration && evictions === undefined ? [`failed after ${truly.toFixed(2)} h`] : [];
}

/** Whether a machine was on after it had to be gone. */
function runsOn({ spec, record, until, limit, faults, world }: Checked): string[] {
  const over = { delete: until + GRACE, stop: until }[String(spec["whenDone"])] ?? Infinity;
  const first = (record.firstStartedAt ?? record.startedAt) - START;
  const goneBy = record.end === null ? Infinity : Math.min(over, first + limit);
  const after = world.hoursOn(seenAt([...faults.outages, ...faults.silences], goneBy + 120) + 600, world.now - START);
  return after > 0 ? [`is on ${after.toFixed(2)} h after its end`] : [];
}

const CHECKS = [wrongAccount, noEnd, wrongEnd, runsOn];

/** The life of one run: what was wrong with it, and how it ended. */
async function live(seed: number, calm: boolean): Promise<{ wrong: string[]; by: string }> {
  const draw = randomOf(seed);
  const drawn = new Draws(() => draw(2 ** 32) / 2 ** 32).plan(calm);
  const { spec, completedAt, againAfter } = drawn;
  const world = new RandomRun({ spec, annotations: decisionOf(drawn.parts) }, drawn.faults);
  const plan = { ...drawn, world };
  const wrong: string[] = [];
  const check = (begun: number): void => {
    const told = (fault: string): string => `seed ${String(seed)} ${JSON.stringify(spec)} ${fault}: ${world.told()}`;
    wrong.push(...CHECKS.flatMap((one) => one(checked(plan, begun))).map(told));
  };
  let [isAgain, secondAt] = [false, 0];
  await world.livesUntil(HORIZON, (at) => {
    const { end, run, startedAt } = world.record as RunRecord;
    if (isAgain && secondAt === 0 && run === "2") secondAt = startedAt - START;
    if (at >= completedAt && !isAgain) world.annotate({ "landfall.dev/completed": "succeeded" });
    if (isAgain || end === null || at < end.at - START + againAfter) return;
    check(0);
    isAgain = true;
    world.annotate({ "landfall.dev/completed": "", "landfall.dev/run": "2" });
  });
  check(secondAt);
  return { wrong, by: `${isAgain ? "again, " : ""}${world.record?.end?.by ?? "none"}` };
}

describe("120 runs with random faults", () => {
  it("without a fault have the hours and the ends that were planned", async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= 25; seed += 1) wrong.push(...(await live(seed, true)).wrong);
    expect(wrong).toEqual([]);
  });

  it("are told as they happened", async () => {
    const wrong: string[] = [];
    const ends = new Set<string>();
    for (let seed = 1; seed <= 120; seed += 1) {
      const life = await live(seed, false);
      wrong.push(...life.wrong);
      ends.add(life.by);
    }
    expect(wrong).toEqual([]);
    for (const by of ["time", "annotation", "eviction", "limit", "none"]) expect([...ends]).toContain(by);
    expect([...ends]).toContain("again, time");
  });
});
