import type { BatchItem } from "./placement-request.ts";
import { BatchMember, type Plan, type Random } from "./batch-member.ts";
import type { ScoredPlace } from "./choose-placement.ts";
import { PlannedLoad } from "./load-table.ts";

/** Cost of an unplaced object: more than any detour of the others. */
const NO_PLACE = 1e12;
/** Improvement attempts per object. Each removes some objects and inserts them in another order. */
const TRIES = 40;
/** Limit of the work of all attempts, in hours of load: a batch does not delay others for long. */
const WORK_HOURS = 200_000;
/** How many objects are removed at the same time, at most. */
const MOST_MOVED = 4;
/** One attempt in this many inserts its first object at a random place and start. */
const ANYWHERE = 3;
/** A smaller gain is rounding. */
const GAIN = 1e-9;

type Plans = (Plan | null)[];

const costOf = (plans: Plans): number => plans.reduce((sum, plan) => sum + (plan?.cost ?? NO_PLACE), 0);

/** mulberry32: the same batch always gets the same plans. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** Two to four of 0 … count - 1, in random order. */
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

/** Removes some objects, inserts them in another order, and keeps the result if it is better. */
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

/** Whether objects compete: one of them costs more than alone, beyond the tolerance. */
const isContended = (members: readonly BatchMember[], plans: Plans): boolean =>
  members.some(
    ({ alone, tolerance }, index) =>
      Number.isFinite(alone) && (plans[index]?.cost ?? NO_PLACE) > alone * (1 + tolerance) + GAIN,
  );

/**
 * Places several objects together, so that no object takes headroom that another one needs more. Returns each object's
 * plan, or null if it has none. Without competition, the objects are placed one after the other. All requests share the
 * same `load`; each object has its own budgets.
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
