import type { Candidate } from "../model/policy.ts";
import type { Segment } from "../model/runs/pause-rules.ts";
import type { PlaceKey } from "../model/workload.ts";
import { bestOffer, type Offer, type OfferTimes } from "./best-offer.ts";
import { chooseFirst } from "./choose-first.ts";
import { makeOffers } from "./make-offers.ts";
import type { PlacementRequest } from "./placement-request.ts";
import { startAt } from "./possible-starts.ts";
import { WEEK_SECONDS } from "../model/time.ts";
import { headroom } from "./headroom.ts";

/** Scores are sums of ratios near 1; a smaller difference is rounding, not a preference. */
const TIE = 1e-9;

/** A candidate at its best start. */
export interface ScoredPlace {
  candidate: Candidate;
  /** Seconds since 1970. */
  start: number;
  /** Of the whole run, or of one hour of a long-running machine; null if the zone has no data. */
  gramsCO2: number | null;
  /** Grams less the option value of waiting. */
  netGrams: number | null;
  /** What one day of waiting has to save, in grams; null if carbon does not count or nothing can wait. */
  gramsPerDay: number | null;
  /** Lower is better. */
  score: number;
  /** The parts of a run that pauses, in order of time; omitted for a run without a pause. */
  segments?: Segment[];
}

export interface PlacementAnswer {
  /** Every candidate with headroom at its best start: the chosen one first, then by score. */
  ranked: ScoredPlace[];
  /** The places without headroom at every start. */
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

/** Ranks offers at their best starts, the chosen one first. Second half of `choosePlacement`. */
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
      const { candidate, index, gramsCO2, netGrams, gramsPerDay, score } = best;
      ranked.push({ candidate, start: startAt(times.starts, index), gramsCO2, netGrams, gramsPerDay, score });
    }
  }
  return { ranked: chooseFirst(ranked.sort(compare), request), full };
}

/**
 * Every candidate at its best start, the chosen one first.
 *
 * The score is the weighted sum of carbon, price and latency, each relative to the candidates' mean, times the
 * surcharge of a nearly full place (docs/concepts/place-and-time.md). Ties are broken by price, then latency, then
 * name; with a seed, scores within the tolerance are ties that the seed breaks. The same request always gives the same
 * answer.
 */
export function choosePlacement(request: PlacementRequest): PlacementAnswer {
  const { offers, times } = makeOffers(request);
  return rankOffers(offers, times, request);
}

/** Whether the plan's machine is still offered and its place has headroom for it. */
function fits({ candidates, window, load, budgets }: PlacementRequest, { candidate, start }: ScoredPlace): boolean {
  const { place, instanceType } = candidate;
  if (!candidates.some((one) => one.place === place && one.instanceType === instanceType)) return false;
  if (budgets === undefined) return true;
  const starts = { first: start, grid: start, count: 0 };
  const seconds = window.durationSeconds ?? WEEK_SECONDS;
  return headroom({ candidate, starts, seconds, load, budgets }).factorAt(0) < Number.POSITIVE_INFINITY;
}

/** As `choosePlacement`, but with the planned place and start in front, if it still has headroom. */
export function followPlan(request: PlacementRequest, plan: ScoredPlace): PlacementAnswer {
  const own = choosePlacement(request);
  if (!fits(request, plan)) return own;
  const { place } = plan.candidate;
  return {
    ...own,
    ranked: [plan, ...own.ranked.filter(({ candidate }) => candidate.place !== place)],
    full: own.full.filter((one) => one !== place),
  };
}
