import type { PowerModel } from "../model/catalog.ts";
import type { IntensityCurve } from "../model/intensity.ts";
import type { Budgets, LoadTable } from "../model/load.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import type { PlaceKey } from "../model/workload.ts";
import { powerKw } from "./energy.ts";
import { possibleStarts, type StartWindow } from "./possible-starts.ts";

const HOUR_SECONDS = 3600;
const WEEK_SECONDS = 168 * HOUR_SECONDS;
/** An unknown figure is this much worse than the worst known one. */
const UNKNOWN_FACTOR = 1.001;
/** Scores are sums of ratios near 1; less than this apart is rounding, not a preference. */
const TIE = 1e-9;

export interface PlacementQuestion {
  candidates: readonly Candidate[];
  /** electricity zone -> curve */
  curves: ReadonlyMap<string, IntensityCurve>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  window: StartWindow;
  /** What is placed already; nothing where it is left out. */
  load?: LoadTable;
  /** What may be placed; anything where it is left out. */
  budgets?: Budgets;
  /** Settles near-ties: the same seed gives the same choice, others spread over them. Default: the best score alone. */
  seed?: string;
  /** How much worse than the best score a near-tie may be, as a share of it (0.01 = 1 %). Default 0. */
  tolerance?: number;
}

export interface PlacementAnswer {
  /** Every candidate that has room at its best start, the chosen one first, then by score. */
  ranked: ScoredPlace[];
  /** The places that no budget leaves room in. */
  full: PlaceKey[];
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

interface ZoneStart {
  start: number;
  /** gCO2eq/kWh over the run */
  intensity: number;
}

/** The start with the least mean intensity; the earlier one of equals. */
function bestStart(curve: IntensityCurve, starts: readonly number[], seconds: number): ZoneStart {
  let best: ZoneStart = { start: starts[0] ?? 0, intensity: Number.POSITIVE_INFINITY };
  for (const start of starts) {
    const intensity = curve.meanOver(start, seconds);
    if (intensity < best.intensity - TIE) best = { start, intensity };
  }
  return best;
}

/** Grams over the run, or over one hour where there is no duration. */
function gramsOf(kilowatts: number, intensity: number, durationSeconds: number | null): number {
  return kilowatts * intensity * ((durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS);
}

function timed(question: PlacementQuestion): ScoredPlace[] {
  const { durationSeconds } = question.window;
  // A long-running machine is judged by the mean of the coming week.
  const seconds = durationSeconds ?? WEEK_SECONDS;
  const starts = possibleStarts(question.window);
  const perZone = new Map<string, ZoneStart>();
  return question.candidates.map((candidate) => {
    const curve = candidate.electricityZone === null ? undefined : question.curves.get(candidate.electricityZone);
    if (curve === undefined || candidate.electricityZone === null) {
      return { candidate, start: starts[0] ?? question.window.now, gramsCO2: null, score: 0 };
    }
    let zone = perZone.get(candidate.electricityZone);
    if (zone === undefined) {
      zone = bestStart(curve, starts, seconds);
      perZone.set(candidate.electricityZone, zone);
    }
    const gramsCO2 = gramsOf(powerKw(question.power, candidate), zone.intensity, durationSeconds);
    return { candidate, start: zone.start, gramsCO2, score: 0 };
  });
}

/**
 * How to make figures of one kind comparable with those of another: each divided by the mean of the known ones. An
 * unknown figure counts a little more than the worst known one, so that a missing price or zone is never an advantage.
 */
function normaliser(values: readonly (number | null)[]): (value: number | null) => number {
  const known = values.filter((value) => value !== null);
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  if (known.length === 0 || mean <= 0) return () => 0;
  const worst = Math.max(...known);
  return (value) => (value ?? worst * UNKNOWN_FACTOR) / mean;
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

/**
 * Every candidate at its best start, the best first.
 *
 * The score is the objective's weights over carbon, price and latency, each relative to the candidates' mean; equal
 * scores are settled by price, then latency, then name. The same question always gives the same order.
 */
export function choosePlacement(question: PlacementQuestion): PlacementAnswer {
  const places = timed(question);
  const { carbon, price, latency } = question.objective;
  const carbonOf = normaliser(places.map((place) => place.gramsCO2));
  const priceOf = normaliser(places.map((place) => place.candidate.pricePerHour));
  const latencyOf = normaliser(places.map((place) => place.candidate.latencyMs));
  for (const place of places) {
    place.score =
      carbon * carbonOf(place.gramsCO2) +
      price * priceOf(place.candidate.pricePerHour) +
      latency * latencyOf(place.candidate.latencyMs);
  }
  return { ranked: places.sort(compare), full: [] };
}
