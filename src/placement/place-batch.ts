import type { Budgets, BudgetSettings } from "../model/load.ts";
import { bestOffer, offerAt, type Offer, type OfferTimes, type TimedOffer } from "./best-offer.ts";
import { choosePlacement, type ScoredPlace } from "./choose-placement.ts";
import type { PlacementQuestion } from "./placement-question.ts";
import { makeOffers } from "./make-offers.ts";
import { PlannedLoad, type PlannedRun } from "./planned-load.ts";
import { platformBudgets } from "./platform-budgets.ts";
import { startAt, type Starts } from "./possible-starts.ts";
import { room } from "./room.ts";

const HOUR_SECONDS = 3600;
/** An object without a place costs more than any detour of the others. */
const NO_PLACE = 1e12;
/** Tries per object: some of the others make room, and all of them are placed again in another order. */
const TRIES = 40;
/** The places that a try outside of the order looks at. */
const NEARBY = 4;
/** How many make room at once. */
const MOST_MOVED = 4;
/** Less than this is rounding. */
const GAIN = 1e-9;

/** One of several objects that are admitted together. */
export interface BatchItem {
  question: PlacementQuestion;
  settings: BudgetSettings;
}

interface Plan {
  run: PlannedRun;
  place: ScoredPlace;
  cost: number;
}

/** An object with everything that does not depend on the others. */
interface Member {
  item: BatchItem;
  /** By their least score. */
  offers: { offer: Offer; least: number }[];
  times: OfferTimes;
  /** What a score of 1 costs: grams, where the objective is carbon alone. Scores of objects are not comparable, costs are. */
  unit: number;
  budgets: Budgets | null;
}

function leastOf(offer: Offer, times: OfferTimes): TimedOffer {
  const least = bestOffer(offer, times, {});
  return least ?? { candidate: offer.candidate, index: 0, gramsCO2: null, score: Number.POSITIVE_INFINITY };
}

function makeMember(item: BatchItem, load: PlannedLoad): Member {
  const { offers, times } = makeOffers(item.question);
  const timed = offers.map((offer) => ({ offer, ...leastOf(offer, times) }));
  const known = timed.map(({ gramsCO2 }) => gramsCO2).filter((grams) => grams !== null);
  const energy = offers.reduce((sum, { kilowattHours }) => sum + kilowattHours, 0) / Math.max(offers.length, 1);
  const grams = known.reduce((sum, one) => sum + one, 0) / Math.max(known.length, 1);
  return {
    item,
    times,
    unit: grams > 0 ? grams : energy,
    offers: timed.map(({ offer, score }) => ({ offer, least: score })).sort((a, b) => a.least - b.least),
    budgets: platformBudgets(item.settings, load),
  };
}

function planOf({ item, times, unit }: Member, place: ScoredPlace): Plan {
  const from = Math.floor(place.start / HOUR_SECONDS);
  const endless = item.question.window.durationSeconds === null;
  const to = endless ? Number.POSITIVE_INFINITY : Math.ceil((place.start + times.seconds) / HOUR_SECONDS);
  const run = { place: place.candidate.place, from, to, vcpus: place.candidate.vcpus };
  return { run, place, cost: place.score * unit };
}

/** The best place that is left; no place whose least score is no better than what was found is looked at. */
function insert(member: Member, load: PlannedLoad): Plan | null {
  const { offers, times, budgets } = member;
  let best: TimedOffer | null = null;
  for (const { offer, least } of offers) {
    if (best !== null && least >= best.score) break;
    const timed = bestOffer(offer, times, { load, ...(budgets === null ? {} : { budgets }) });
    if (timed !== null && (best === null || timed.score < best.score)) best = timed;
  }
  if (best === null) return null;
  const { index, ...place } = best;
  const plan = planOf(member, { ...place, start: startAt(times.starts, index) });
  load.add(plan.run);
  return plan;
}

type Random = (below: number) => number;

/** Any start at one of the better places, its best or not: what the greedy order never tries. */
function insertAnywhere(member: Member, load: PlannedLoad, random: Random): Plan | null {
  const { offers, times, budgets } = member;
  const { offer } = offers[random(Math.min(offers.length, NEARBY))] ?? {};
  if (offer === undefined) return null;
  const index = random(times.starts.count + 1);
  const starts: Starts = { first: startAt(times.starts, index), grid: 0, count: 0 };
  const timed = offerAt(offer, index);
  const factor =
    budgets === null
      ? 1
      : room({ candidate: offer.candidate, starts, seconds: times.seconds, load, budgets }).factorAt(0);
  if (factor === Number.POSITIVE_INFINITY) return null;
  const { index: _index, ...place } = timed;
  const plan = planOf(member, { ...place, score: place.score * factor, start: starts.first });
  load.add(plan.run);
  return plan;
}

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

/** One after the other, as objects that arrive singly are placed: with the surcharge and the spread over near-ties. */
function placeSingly(members: readonly Member[], load: PlannedLoad): Plans {
  return members.map((member) => {
    const { budgets, item } = member;
    const { ranked } = choosePlacement({ ...item.question, load, ...(budgets === null ? {} : { budgets }) });
    const [first] = ranked;
    if (first === undefined) return null;
    const plan = planOf(member, first);
    load.add(plan.run);
    return plan;
  });
}

function withdraw(plans: Plans, order: readonly number[], load: PlannedLoad): void {
  for (const index of order) {
    const run = plans[index]?.run;
    if (run !== undefined) load.remove(run);
  }
}

/** Takes some out, places them again in another order, and keeps what came of it if it is better. */
function tryAgain(members: readonly Member[], plans: Plans, load: PlannedLoad, random: Random): Plans {
  const order = draw(members.length, random);
  const freely = random(3) === 0;
  withdraw(plans, order, load);
  const next = [...plans];
  for (const [rank, index] of order.entries()) {
    const member = members[index];
    if (member === undefined) continue;
    const anywhere = freely && rank === 0 ? insertAnywhere(member, load, random) : null;
    next[index] = anywhere ?? insert(member, load);
  }
  if (costOf(next) < costOf(plans) - GAIN) return next;
  withdraw(next, order, load);
  for (const index of order) {
    const run = plans[index]?.run;
    if (run !== undefined) load.add(run);
  }
  return plans;
}

/** Some of 0 … count - 1, in any order. */
function draw(count: number, random: Random): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  const wanted = Math.min(count, 2 + random(MOST_MOVED - 1));
  return Array.from({ length: wanted }, () => all.splice(random(all.length), 1)[0] ?? 0);
}

/** Whether somebody has to stand back for the others: elsewhere than in a near-tie of its best place. */
function isContended(members: readonly Member[], plans: Plans): boolean {
  return members.some(({ offers, unit, item }, index) => {
    const least = (offers[0]?.least ?? 0) * unit * (1 + (item.question.tolerance ?? 0));
    return (plans[index]?.cost ?? NO_PLACE) > least + GAIN;
  });
}

/**
 * Places several objects together, so that none takes the room that another needs more: the plan of each, null where there
 * is none. Where no one has to stand back for another they are placed as they would be one after the other. All questions
 * have the same `load`; each object keeps its own budgets.
 */
export function placeBatch(items: readonly BatchItem[]): (ScoredPlace | null)[] {
  const load = new PlannedLoad(items[0]?.question.load);
  const members = items.map((item) => makeMember(item, load));
  let plans = placeSingly(members, load);
  if (isContended(members, plans)) {
    const random = randomFrom(items.length);
    for (let tries = TRIES * items.length; tries > 0; tries--) plans = tryAgain(members, plans, load, random);
  }
  return plans.map((plan) => plan?.place ?? null);
}
