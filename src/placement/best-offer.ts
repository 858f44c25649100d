import type { Budgets, LoadTable } from "../model/places/load.ts";
import type { Candidate } from "../model/policy.ts";
import { DAY_SECONDS } from "../model/time.ts";
import { startAt, type Starts } from "./possible-starts.ts";
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
  /** The score contribution of a gram. */
  scorePerGram: number;
  /** The score contribution of unknown carbon. */
  unknownScore: number;
  /** The score contribution of price and latency. */
  restScore: number;
}

export interface OfferTimes {
  starts: Starts;
  /** Duration of the run, or of the part of it that is scored. */
  seconds: number;
  /** The amount that a second of waiting adds to the score. */
  waitingCost: number;
}

export interface TimedOffer {
  candidate: Candidate;
  /** Index of the start; 0 is the first one. */
  index: number;
  gramsCO2: number | null;
  /** Grams less the option value of waiting. */
  netGrams: number | null;
  /** The grams that one day of waiting has to save; null if carbon does not count or nothing can wait. */
  gramsPerDay: number | null;
  score: number;
}

/** The score without a surcharge and without the cost of waiting. */
const scoreOf = ({ scorePerGram, unknownScore, restScore }: Offer, netGrams: number | null): number =>
  (netGrams === null ? unknownScore : scorePerGram * netGrams) + restScore;

/** The offer at this start, with the surcharge `factor` of a nearly full place. */
export function offerAt(offer: Offer, { starts, waitingCost }: OfferTimes, index: number, factor = 1): TimedOffer {
  const { candidate, zone, kilowattHours } = offer;
  const gramsCO2 = zone === undefined ? null : kilowattHours * zone.at(index);
  const netGrams = zone === undefined ? null : kilowattHours * zone.netAt(index);
  const waited = waitingCost * (startAt(starts, index) - starts.first);
  const gramsPerDay =
    offer.scorePerGram === 0 || starts.count === 0 ? null : (waitingCost * DAY_SECONDS) / offer.scorePerGram;
  return { candidate, index, gramsCO2, netGrams, gramsPerDay, score: scoreOf(offer, netGrams) * factor + waited };
}

/** The index of the best start without budgets. Without a weight on carbon, only the cost of waiting counts. */
function bestIndex({ zone, kilowattHours, scorePerGram }: Offer, { waitingCost }: OfferTimes): number {
  const perIntensity = kilowattHours * scorePerGram;
  return zone === undefined || perIntensity === 0 ? 0 : zone.bestIf(waitingCost / perIntensity);
}

/** The start with the least score, surcharge and waiting included; the earliest of equals. Null if none has headroom. */
function bestWithHeadroom(offer: Offer, times: OfferTimes, left: Headroom): TimedOffer | null {
  const { starts, waitingCost } = times;
  const { zone, kilowattHours } = offer;
  let best: { index: number; factor: number } | null = null;
  /** Less is better by more than rounding. */
  let limit = Number.POSITIVE_INFINITY;
  for (let index = 0; index <= starts.count; index++) {
    const bare = scoreOf(offer, zone === undefined ? null : kilowattHours * zone.netAt(index));
    const waited = waitingCost * (startAt(starts, index) - starts.first);
    // The score without a surcharge is not better, so the headroom does not matter.
    if (bare + waited >= limit) continue;
    const factor = left.factorAt(index);
    const score = bare * factor + waited;
    if (score >= limit) continue;
    best = { index, factor };
    limit = score * (1 - ROUNDING);
  }
  return best === null ? null : offerAt(offer, times, best.index, best.factor);
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
  const best = bestIndex(offer, times);
  if (budgets === undefined) return offerAt(offer, times, best);
  const left = headroom({ candidate: offer.candidate, load, budgets, ...times });
  // Without a surcharge, no start beats the one that is best without budgets.
  return left.factorAt(best) === 1 ? offerAt(offer, times, best) : bestWithHeadroom(offer, times, left);
}
