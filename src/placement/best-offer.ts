import type { Budgets, LoadTable } from "../model/load.ts";
import type { Candidate } from "../model/policy.ts";
import type { Starts } from "./possible-starts.ts";
import { type Headroom, headroom } from "./headroom.ts";
import type { ZoneMeans } from "./zone-means.ts";

/** Scores that differ by less than this share are equal: the difference is rounding. */
const ROUNDING = 1e-9;

/** A candidate without a chosen start. */
export interface Offer {
  candidate: Candidate;
  /** Undefined if the zone has no data. */
  zone: ZoneMeans | undefined;
  /** Energy of the whole run, or of one hour of a long-running machine. */
  kilowattHours: number;
  /** The score contribution of carbon, in grams (null: unknown). */
  carbonScore: (grams: number | null) => number;
  /** The score contribution of price and latency. */
  restScore: number;
}

export interface OfferTimes {
  starts: Starts;
  /** Duration of the run, or of the part of it that is scored. */
  seconds: number;
}

export interface TimedOffer {
  candidate: Candidate;
  /** Index of the start; 0 is the first one. */
  index: number;
  gramsCO2: number | null;
  /** Grams less the option value of waiting. */
  netGrams: number | null;
  score: number;
}

/** The offer at this start, regardless of the budgets. */
export function offerAt({ candidate, zone, kilowattHours, carbonScore, restScore }: Offer, index: number): TimedOffer {
  const gramsCO2 = zone === undefined ? null : kilowattHours * zone.at(index);
  const netGrams = zone === undefined ? null : kilowattHours * zone.netAt(index);
  return { candidate, index, gramsCO2, netGrams, score: carbonScore(netGrams) + restScore };
}

/** The start with the least score times surcharge; the earliest of equals. Null if no start has headroom. */
function bestWithHeadroom(offer: Offer, { starts }: OfferTimes, left: Headroom): TimedOffer | null {
  let best: TimedOffer | null = null;
  for (let index = 0; index <= starts.count; index++) {
    const timed = offerAt(offer, index);
    // The score without a surcharge is not better, so the headroom does not matter.
    if (best !== null && timed.score >= best.score * (1 - ROUNDING)) continue;
    const factor = left.factorAt(index);
    if (factor === Number.POSITIVE_INFINITY) continue;
    timed.score *= factor;
    if (best === null || timed.score < best.score * (1 - ROUNDING)) best = timed;
  }
  return best;
}

/**
 * The candidate at its best start; null if the budgets exclude every start. Start by start only if the place is nearly
 * full at its best start.
 */
export function bestOffer(
  offer: Offer,
  times: OfferTimes,
  { load, budgets }: { load?: LoadTable; budgets?: Budgets },
): TimedOffer | null {
  const best = offer.zone?.best ?? 0;
  if (budgets === undefined) return offerAt(offer, best);
  const left = headroom({ candidate: offer.candidate, load, budgets, ...times });
  // Without a surcharge, no start beats the one with the least carbon.
  return left.factorAt(best) === 1 ? offerAt(offer, best) : bestWithHeadroom(offer, times, left);
}
