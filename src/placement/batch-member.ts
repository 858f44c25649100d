import type { Budgets } from "../model/places/load.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { bestOffer, type Offer, offerAt, type OfferTimes, type TimedOffer } from "./best-offer.ts";
import { rankOffers, type ScoredPlace } from "./choose-placement.ts";
import { makeOffers } from "./make-offers.ts";
import type { BatchItem } from "./placement-request.ts";
import type { PlannedLoad, PlannedRun } from "./load-table.ts";
import { budgetedVcpus, headroom, platformBudgets } from "./headroom.ts";
import { startAt } from "./possible-starts.ts";

/** Each other object fills at most one place, so this many places more than there are objects are examined. */
const SPARE_PLACES = 4;
/** How many places a random insertion considers. */
const NEARBY = 4;
/** The fixed cost of examining a place, in hours of load, besides the hours of its runs. */
const LOOK_HOURS = 8;

/** A random integer from 0 up to but not including `below`. */
export type Random = (below: number) => number;

export interface Plan {
  run: PlannedRun;
  place: ScoredPlace;
  /** Grams if the objective is carbon alone. Scores of different objects are not comparable; costs are. */
  cost: number;
}

/** An object of a batch, with everything that does not depend on the others. */
export class BatchMember {
  readonly #item: BatchItem;
  /** The offers that fit without the other objects, best first; `least` is a lower bound of the score under any budget. */
  readonly #offers: { offer: Offer; least: number }[];
  readonly #times: OfferTimes;
  readonly #load: PlannedLoad;
  readonly #limits: { load: PlannedLoad; budgets?: Budgets };
  /** Cost of a score of 1. */
  readonly #unit: number;
  /** Cost without the other objects; infinite if no place fits even then. */
  readonly alone: number;
  /** Upper bound of the hours of load examined for this object so far. */
  work = 0;
  readonly #lookHours: number;

  /** `load`: what is placed already plus the batch's plans; it contains no plans yet. */
  constructor(item: BatchItem, load: PlannedLoad, others: number) {
    const { offers, times } = makeOffers(item.request);
    const budgets = platformBudgets(item.settings, load);
    this.#item = item;
    this.#times = times;
    const { starts, seconds } = times;
    this.#lookHours = LOOK_HOURS + (startAt(starts, starts.count) + seconds - startAt(starts, 0)) / HOUR_SECONDS;
    this.#load = load;
    this.#limits = { load, ...(budgets === null ? {} : { budgets }) };
    this.#unit = unitOf(offers, times);
    const { ranked } = rankOffers(offers, times, this.#limits);
    const best = ranked.slice(0, others + 1 + SPARE_PLACES).map(({ candidate }) => candidate);
    this.#offers = offers
      .filter(({ candidate }) => best.includes(candidate))
      .map((offer) => ({ offer, least: bestOffer(offer, times, {})?.score ?? 0 }))
      .sort((a, b) => a.least - b.least);
    this.alone = (ranked[0]?.score ?? Number.POSITIVE_INFINITY) * this.#unit;
  }

  /** How much more than its cost alone a plan may cost before it counts as displaced by another object. */
  get tolerance(): number {
    return this.#item.request.tolerance ?? 0;
  }

  /** Places the object as a single one, with tie-breaking. Null if nothing fits. */
  placeSingly(): Plan | null {
    const { seed, tolerance } = this.#item.request;
    const offers = this.#offers.map(({ offer }) => offer);
    const spread = { ...(seed === undefined ? {} : { seed }), ...(tolerance === undefined ? {} : { tolerance }) };
    const [first] = rankOffers(offers, this.#times, { ...this.#limits, ...spread }).ranked;
    return first === undefined ? null : this.#add(first);
  }

  /** Inserts the object at the best place that is left. */
  insert(): Plan | null {
    let best: TimedOffer | null = null;
    for (const { offer, least } of this.#offers) {
      // Offers are sorted by their lower bound: no later one is better.
      if (best !== null && least >= best.score) break;
      this.work += this.#lookHours;
      const timed = bestOffer(offer, this.#times, this.#limits);
      if (timed !== null && (best === null || timed.score < best.score)) best = timed;
    }
    if (best === null) return null;
    const { index, ...place } = best;
    return this.#add({ ...place, start: startAt(this.#times.starts, index) });
  }

  /** Inserts the object at any start in one of the better places. Always taking the best would miss such plans. */
  insertAnywhere(random: Random): Plan | null {
    const { offer } = this.#offers[random(Math.min(this.#offers.length, NEARBY))] ?? {};
    if (offer === undefined) return null;
    const { starts } = this.#times;
    const drawn = random(starts.count + 1);
    const start = startAt(starts, drawn);
    this.work += this.#lookHours;
    const factor = this.#factorAt(offer, start);
    if (factor === Number.POSITIVE_INFINITY) return null;
    const { index: _index, ...place } = offerAt(offer, this.#times, drawn, factor);
    return this.#add({ ...place, start });
  }

  #factorAt({ candidate }: Offer, start: number): number {
    const { load, budgets } = this.#limits;
    if (budgets === undefined) return 1;
    const starts = { first: start, grid: start, count: 0 };
    return headroom({ candidate, starts, seconds: this.#times.seconds, load, budgets }).factorAt(0);
  }

  #add(place: ScoredPlace): Plan {
    const endless = this.#item.request.window.durationSeconds === null;
    const end = place.start + this.#times.seconds;
    const run = {
      ...{ place: place.candidate.place, vcpus: budgetedVcpus(place.candidate) },
      from: Math.floor(place.start / HOUR_SECONDS),
      to: endless ? Number.POSITIVE_INFINITY : Math.ceil(end / HOUR_SECONDS),
    };
    this.#load.add(run);
    return { run, place, cost: place.score * this.#unit };
  }
}

/** Mean grams of the places at their best start; mean kWh if carbon is unknown. */
function unitOf(offers: readonly Offer[], times: OfferTimes): number {
  const known = offers.map((offer) => bestOffer(offer, times, {})?.gramsCO2 ?? null).filter((grams) => grams !== null);
  const grams = known.reduce((sum, one) => sum + one, 0) / Math.max(known.length, 1);
  if (grams > 0) return grams;
  return offers.reduce((sum, { kilowattHours }) => sum + kilowattHours, 0) / Math.max(offers.length, 1);
}
