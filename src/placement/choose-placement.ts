import type { Candidate } from "../model/policy.ts";
import type { Segment } from "../model/runs/pause-rules.ts";
import type { PlaceKey } from "../model/workload.ts";
import { bestOffer, type Offer, type OfferTimes } from "./best-offer.ts";
import { makeOffers } from "./make-offers.ts";
import type { PlacementRequest } from "./placement-request.ts";
import { startAt } from "./possible-starts.ts";
import { HOUR_SECONDS, WEEK_SECONDS } from "../model/time.ts";
import { headroom } from "./headroom.ts";
import { sha256 } from "../model/sha256.ts";
import type { LoadTable } from "../model/places/load.ts";

/** A number in (0, 1), derived from the text alone. */
function fractionOf(text: string): number {
  return (Number.parseInt(sha256(text).slice(0, 12), 16) + 1) / (2 ** 48 + 2);
}

/**
 * Breaks a tie by weighted rendezvous hashing: over many seeds, each name is chosen in proportion to its weight (> 0),
 * and an added or removed name changes only the choices that involve it. Returns an index of `names`.
 */
function breakTie(seed: string, names: readonly string[], weights: readonly number[]): number {
  let chosen = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, name] of names.entries()) {
    const draw = -Math.log(fractionOf(`${seed}\n${name}`)) / (weights[index] ?? 1);
    if (draw < least) [chosen, least] = [index, draw];
  }
  return chosen;
}

interface Ranked {
  candidate: { place: PlaceKey };
  /** Seconds since 1970. */
  start: number;
  /** Lower is better. */
  score: number;
}

interface TieBreak {
  load?: LoadTable;
  seed?: string;
  tolerance?: number;
}

/** How many of the best are within the tolerance. */
function nearTies(ranked: readonly Ranked[], tolerance: number): number {
  const limit = (ranked[0]?.score ?? 0) * (1 + tolerance);
  const end = ranked.findIndex(({ score }) => score > limit);
  return end === -1 ? ranked.length : end;
}

/**
 * A place with twice the mean load of the near-ties is chosen a third less often than one with the mean load; an empty
 * place twice as often.
 */
function weights(near: readonly Ranked[], load: LoadTable | undefined): number[] {
  const vcpus = near.map(({ candidate, start }) => load?.at(candidate.place, Math.floor(start / HOUR_SECONDS)) ?? 0);
  const mean = vcpus.reduce((sum, value) => sum + value, 0) / vcpus.length;
  return vcpus.map((value) => (mean === 0 ? 1 : 1 / (1 + value / mean)));
}

/**
 * Moves the near-tie that the seed chooses to the front. If all scores are 0, the objective expresses no preference:
 * there are no near-ties and the order stays.
 */
function chooseFirst<Place extends Ranked>(ranked: Place[], { load, seed, tolerance = 0 }: TieBreak): Place[] {
  const count = seed === undefined || (ranked[0]?.score ?? 0) <= 0 ? 1 : nearTies(ranked, tolerance);
  if (seed === undefined || count < 2) return ranked;
  const near = ranked.slice(0, count);
  const names = near.map(({ candidate }) => candidate.place);
  const [first] = ranked.splice(breakTie(seed, names, weights(near, load)), 1);
  return first === undefined ? ranked : [first, ...ranked];
}

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
  /** The grams that one day of waiting has to save; null if carbon does not count or nothing can wait. */
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
