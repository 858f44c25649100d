import type { PowerModel } from "../model/catalog.ts";
import type { IntensityCurve } from "../model/intensity.ts";
import type { Budgets, LoadTable } from "../model/load.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import type { PlaceKey } from "../model/workload.ts";
import { powerKw } from "./energy.ts";
import { possibleStarts, type Starts, startAt, type StartWindow } from "./possible-starts.ts";
import { type Offer, type OfferTimes, bestOffer } from "./best-offer.ts";
import { chooseFirst } from "./choose-first.ts";
import { normaliser } from "./normaliser.ts";
import { type ZoneMeans, zoneMeans } from "./zone-means.ts";

const HOUR_SECONDS = 3600;
const WEEK_SECONDS = 168 * HOUR_SECONDS;
/** Scores are sums of ratios near 1; less than this apart is rounding, not a preference. */
const TIE = 1e-9;

export interface PlacementQuestion {
  candidates: readonly Candidate[];
  /** electricity zone -> curve */
  curves: ReadonlyMap<string, IntensityCurve>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  window: StartWindow;
  /**
   * By zone: gCO2eq/kWh by which a start counts as better than its curve says, by whole hours after the first one (rounded
   * up; the last goes on). For who decides again until then.
   */
  worth?: ReadonlyMap<string, Float64Array>;
  /** What is placed already; nothing where it is left out. */
  load?: LoadTable;
  /** What may be placed; anything where it is left out. */
  budgets?: Budgets;
  /** Settles near-ties: the same seed gives the same choice, others spread over them. Default: the best score alone. */
  seed?: string;
  /** How much worse than the best score a near-tie may be, as a share of it (0.01 = 1 %). Default 0. */
  tolerance?: number;
}

/** A candidate at its best start. */
export interface ScoredPlace {
  candidate: Candidate;
  /** Seconds since 1970. */
  start: number;
  /** Of the whole run, or of one hour of a long-running machine; null where the zone has no figure. */
  gramsCO2: number | null;
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

/** What each zone comes to at every start: asked once per zone, however many places it feeds. */
function meansByZone({ candidates, curves, worth }: PlacementQuestion, starts: Starts, seconds: number) {
  const zones = new Map<string, ZoneMeans>();
  for (const { electricityZone } of candidates) {
    const curve = electricityZone === null ? undefined : curves.get(electricityZone);
    if (electricityZone === null || curve === undefined || zones.has(electricityZone)) continue;
    zones.set(electricityZone, zoneMeans(curve, starts, seconds, worth?.get(electricityZone)));
  }
  return zones;
}

/** Every candidate with what a gram weighs for it and what does not depend on its start. */
function makeOffers(question: PlacementQuestion, zones: ReadonlyMap<string, ZoneMeans>): Offer[] {
  const { candidates, power, objective, window } = question;
  const hours = (window.durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS;
  const bare = candidates.map((candidate) => {
    const zone = candidate.electricityZone === null ? undefined : zones.get(candidate.electricityZone);
    return { candidate, zone, kilowattHours: powerKw(power, candidate) * hours };
  });
  const carbonOf = normaliser(
    bare.map(({ zone, kilowattHours }) => (zone === undefined ? null : kilowattHours * (zone.means[zone.best] ?? 0))),
  );
  const priceOf = normaliser(candidates.map(({ pricePerHour }) => pricePerHour));
  const latencyOf = normaliser(candidates.map(({ latencyMs }) => latencyMs));
  return bare.map((offer) => ({
    ...offer,
    carbonScore: (grams) => objective.carbon * carbonOf(grams),
    restScore:
      objective.price * priceOf(offer.candidate.pricePerHour) +
      objective.latency * latencyOf(offer.candidate.latencyMs),
  }));
}

/**
 * Every candidate at its best start, the chosen one first.
 *
 * The score is the objective's weights over carbon, price and latency, each relative to the candidates' mean, times the
 * surcharge of a place that is nearly full (docs/scheduling.md). Equal scores are settled by price, then latency, then
 * name; with a seed, scores within the tolerance are settled by the seed. The same question always gives the same answer.
 */
export function choosePlacement(question: PlacementQuestion): PlacementAnswer {
  const starts = possibleStarts(question.window);
  // A long-running machine is judged by the mean of the coming week.
  const times: OfferTimes = { starts, seconds: question.window.durationSeconds ?? WEEK_SECONDS };
  const zones = meansByZone(question, starts, times.seconds);
  const full: PlaceKey[] = [];
  const ranked: ScoredPlace[] = [];
  for (const offer of makeOffers(question, zones)) {
    const best = bestOffer(offer, times, question);
    if (best === null) full.push(offer.candidate.place);
    else {
      const { index, ...place } = best;
      ranked.push({ ...place, start: startAt(starts, index) });
    }
  }
  return { ranked: chooseFirst(ranked.sort(compare), question), full };
}
