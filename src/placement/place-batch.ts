import type { BatchItem } from "./placement-request.ts";
import { BatchMember, type Plan, type Random } from "./batch-member.ts";
import type { ScoredPlace } from "./choose-placement.ts";
import { PlannedLoad } from "./load-table.ts";

/** An object without a place costs more than any detour of the others. */
const NO_PLACE = 1e12;
/** Tries per object: some of them make room, and are placed again in another order. */
const TRIES = 40;
/** Hours of load that all tries may look at: no batch holds up the others for long. */
const WORK_HOURS = 200_000;
/** How many make room at once. */
const MOST_MOVED = 4;
/** One try of so many puts the first of them anywhere. */
const ANYWHERE = 3;
/** Less than this is rounding. */
const GAIN = 1e-9;

type Plans = (Plan | null)[];

const costOf = (plans: Plans): number => plans.reduce((sum, plan) => sum + (plan?.cost ?? NO_PLACE), 0);

/** mulberry32: the same batch is always placed alike. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Two to four of 0 … count - 1, in any order. */
function draw(count: number, random: Random): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  const wanted = Math.min(count, 2 + random(MOST_MOVED - 1));
  return Array.from({ length: wanted }, () => all.splice(random(all.length), 1)[0] ?? 0);
}

function withdraw(plans: Plans, order: readonly number[], load: PlannedLoad): void {
  for (const index of order) {
    const run = plans[index]?.run;
    if (run !== undefined) load.remove(run);
  }
}

/** Takes some out, places them again in another order, and keeps what came of it if it is better. */
function tryAgain(members: readonly BatchMember[], plans: Plans, load: PlannedLoad, random: Random): Plans {
  const order = draw(members.length, random);
  const freely = random(ANYWHERE) === 0;
  withdraw(plans, order, load);
  const next = [...plans];
  for (const [rank, index] of order.entries()) {
    const member = members[index];
    if (member === undefined) continue;
    const anywhere = freely && rank === 0 ? member.insertAnywhere(random) : null;
    next[index] = anywhere ?? member.insert();
  }
  if (costOf(next) < costOf(plans) - GAIN) return next;
  withdraw(next, order, load);
  for (const index of order) {
    const run = plans[index]?.run;
    if (run !== undefined) load.add(run);
  }
  return plans;
}

/** Whether one has to stand back for the others: costs more than alone, near-ties aside. */
const isContended = (members: readonly BatchMember[], plans: Plans): boolean =>
  members.some(
    ({ alone, tolerance }, index) =>
      Number.isFinite(alone) && (plans[index]?.cost ?? NO_PLACE) > alone * (1 + tolerance) + GAIN,
  );

/**
 * Places several objects together, so that none takes the room that another needs more: the plan of each, null where there
 * is none. Where no one has to stand back for another they are placed as they would be one after the other. All requests
 * have the same `load`; each object keeps its own budgets.
 */
export function placeBatch(items: readonly BatchItem[]): (ScoredPlace | null)[] {
  const load = new PlannedLoad(items[0]?.request.load);
  const members = items.map((item) => new BatchMember(item, load, items.length - 1));
  let plans: Plans = members.map((member) => member.placeSingly());
  if (isContended(members, plans)) {
    const random = randomFrom(items.length);
    const work = (): number => members.reduce((sum, member) => sum + member.work, 0);
    for (let tries = TRIES * items.length; tries > 0 && work() < WORK_HOURS; tries--)
      plans = tryAgain(members, plans, load, random);
  }
  return plans.map((plan) => plan?.place ?? null);
}
