import type { Candidate } from "../model/policy.ts";
import type { PlaceKey } from "../model/workload.ts";
import { bestOffer, type Offer, type OfferTimes } from "./best-offer.ts";
import { chooseFirst } from "./choose-first.ts";
import { makeOffers } from "./make-offers.ts";
import type { PlacementRequest } from "./placement-request.ts";
import { startAt } from "./possible-starts.ts";
import { WEEK_SECONDS } from "../model/time.ts";
import { headroom } from "./headroom.ts";

/** Scores are sums of ratios near 1; less than this apart is rounding, not a preference. */
const TIE = 1e-9;

/** A candidate at its best start. */
export interface ScoredPlace {
  candidate: Candidate;
  /** Seconds since 1970. */
  start: number;
  /** Of the whole run, or of one hour of a long-running machine; null where the zone has no figure. */
  gramsCO2: number | null;
  /** What they count as: less where the start may still be bettered until it comes. */
  netGrams: number | null;
  /** Lower is better. */
  score: number;
}

export interface PlacementAnswer {
  /** Every candidate that has room, at its best start: the chosen one first, then by score. */
  ranked: ScoredPlace[];
  /** The places that the budgets leave no room in, at any start. */
  full: PlaceKey[];
}

const unknownLast = (value: number | null): number => value ?? Number.POSITIVE_INFINITY;

function compareKnown(a: number | null, b: number | null): number {
  const [left, right] = [unknownLast(a), unknownLast(b)];
  return left === right ? 0 : left - right;
}

function compare(a: ScoredPlace, b: ScoredPlace): number {
  if (Math.abs(a.score - b.score) > TIE) return a.score - b.score;
  return (
    compareKnown(a.candidate.pricePerHour, b.candidate.pricePerHour) ||
    compareKnown(a.candidate.latencyMs, b.candidate.latencyMs) ||
    (a.candidate.place < b.candidate.place ? -1 : 1)
  );
}

/** Offers at their best starts, the chosen one first: what `choosePlacement` does once it knows what is offered. */
export function rankOffers(
  offers: readonly Offer[],
  times: OfferTimes,
  request: Pick<PlacementRequest, "load" | "budgets" | "seed" | "tolerance">,
): PlacementAnswer {
  const full: PlaceKey[] = [];
  const ranked: ScoredPlace[] = [];
  for (const offer of offers) {
    const best = bestOffer(offer, times, request);
    if (best === null) full.push(offer.candidate.place);
    else {
      const { candidate, index, gramsCO2, netGrams, score } = best;
      ranked.push({ candidate, start: startAt(times.starts, index), gramsCO2, netGrams, score });
    }
  }
  return { ranked: chooseFirst(ranked.sort(compare), request), full };
}

/**
 * Every candidate at its best start, the chosen one first.
 *
 * The score is the objective's weights over carbon, price and latency, each relative to the candidates' mean, times the
 * surcharge of a place that is nearly full (docs/concepts/place-and-time.md). Equal scores are settled by price, then latency, then
 * name; with a seed, scores within the tolerance are settled by the seed. The same request always gives the same answer.
 */
export function choosePlacement(request: PlacementRequest): PlacementAnswer {
  const { offers, times } = makeOffers(request);
  return rankOffers(offers, times, request);
}

/** Whether the plan's machine is still offered there and its budget leaves it room. */
function fits({ candidates, window, load, budgets }: PlacementRequest, { candidate, start }: ScoredPlace): boolean {
  const { place, instanceType } = candidate;
  if (!candidates.some((one) => one.place === place && one.instanceType === instanceType)) return false;
  if (budgets === undefined) return true;
  const starts = { first: start, grid: start, count: 0 };
  const seconds = window.durationSeconds ?? WEEK_SECONDS;
  return headroom({ candidate, starts, seconds, load, budgets }).factorAt(0) < Number.POSITIVE_INFINITY;
}

/** The places as `choosePlacement` has them, the planned one at its planned start in front; as they are where that has no room any more. */
export function followPlan(request: PlacementRequest, plan: ScoredPlace): PlacementAnswer {
  const own = choosePlacement(request);
  if (!fits(request, plan)) return own;
  const { place } = plan.candidate;
  return {
    ranked: [plan, ...own.ranked.filter(({ candidate }) => candidate.place !== place)],
    full: own.full.filter((one) => one !== place),
  };
}
