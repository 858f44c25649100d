import type { Budgets, LoadTable } from "../model/load.ts";
import type { Candidate } from "../model/policy.ts";
import type { Starts } from "./possible-starts.ts";
import { type Headroom, headroom } from "./headroom.ts";
import type { ZoneMeans } from "./zone-means.ts";

/** Scores less than this share apart are equal but for rounding. */
const ROUNDING = 1e-9;

/** A candidate before its start is chosen. */
export interface Offer {
  candidate: Candidate;
  /** Undefined where nothing is known of its zone. */
  zone: ZoneMeans | undefined;
  /** Of the whole run, or of one hour of a long-running machine. */
  kilowattHours: number;
  /** What grams (null: unknown) add to the score. */
  carbonScore: (grams: number | null) => number;
  /** What price and latency add to it. */
  restScore: number;
}

export interface OfferTimes {
  starts: Starts;
  /** Of the run, or of the part of it that counts. */
  seconds: number;
}

export interface TimedOffer {
  candidate: Candidate;
  /** Of the start: 0 is the first one. */
  index: number;
  gramsCO2: number | null;
  /** What they count as: less where waiting is worth something. */
  netGrams: number | null;
  score: number;
}

/** The offer at this start, whatever the budgets say. */
export function offerAt({ candidate, zone, kilowattHours, carbonScore, restScore }: Offer, index: number): TimedOffer {
  const gramsCO2 = zone === undefined ? null : kilowattHours * zone.at(index);
  const netGrams = zone === undefined ? null : kilowattHours * zone.netAt(index);
  return { candidate, index, gramsCO2, netGrams, score: carbonScore(netGrams) + restScore };
}

/** The start with the least score times surcharge; the earlier one of equals. Null where none has room. */
function bestWithHeadroom(offer: Offer, { starts }: OfferTimes, left: Headroom): TimedOffer | null {
  let best: TimedOffer | null = null;
  for (let index = 0; index <= starts.count; index++) {
    const timed = offerAt(offer, index);
    // Not even without a surcharge: its room need not be looked at.
    if (best !== null && timed.score >= best.score * (1 - ROUNDING)) continue;
    const factor = left.factorAt(index);
    if (factor === Number.POSITIVE_INFINITY) continue;
    timed.score *= factor;
    if (best === null || timed.score < best.score * (1 - ROUNDING)) best = timed;
  }
  return best;
}

/** The candidate at its best start; null where the budgets leave it none. Only a place that is nearly full at its best start is searched start by start. */
export function bestOffer(
  offer: Offer,
  times: OfferTimes,
  { load, budgets }: { load?: LoadTable; budgets?: Budgets },
): TimedOffer | null {
  const best = offer.zone?.best ?? 0;
  if (budgets === undefined) return offerAt(offer, best);
  const left = headroom({ candidate: offer.candidate, load, budgets, ...times });
  // No start is better than the one with the least carbon unless that one is charged for.
  return left.factorAt(best) === 1 ? offerAt(offer, best) : bestWithHeadroom(offer, times, left);
}
