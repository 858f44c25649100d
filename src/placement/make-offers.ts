import { DAY_SECONDS, HOUR_SECONDS, WEEK_SECONDS } from "../model/time.ts";
import type { Offer, OfferTimes } from "./best-offer.ts";
import { powerKw } from "./energy.ts";
import type { PlacementRequest } from "./placement-request.ts";
import { possibleStarts, type Starts } from "./possible-starts.ts";
import { type ZoneMeans, zoneMeans } from "./zone-means.ts";

/** Factor by which an unknown figure is worse than the worst known one. */
const UNKNOWN_FACTOR = 1.001;

/**
 * Added to the score of a place without a price if others have one: more than any score is, since each is relative to a mean over a few
 * hundred places. So such a place comes after all that have a price and headroom, whatever the objective.
 */
const UNKNOWN_PRICE = 1000;

/**
 * Makes figures of different kinds comparable: each is divided by the mean of the known ones. An unknown figure counts
 * as slightly worse than the worst known one, so that a missing price or zone is never an advantage.
 */
function normalise(values: readonly (number | null)[]): { factor: number; unknown: number } {
  let [sum, count, worst] = [0, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count += 1;
    if (value > worst) worst = value;
  }
  if (count === 0 || sum <= 0) return { factor: 0, unknown: 0 };
  const factor = count / sum;
  return { factor, unknown: worst * UNKNOWN_FACTOR * factor };
}

/** Mean intensities by zone at every start, computed once per zone. */
function meansByZone({ candidates, curves, waiting, window }: PlacementRequest, starts: Starts, seconds: number) {
  const zones = new Map<string, ZoneMeans>();
  for (const { electricityZone } of candidates) {
    const curve = electricityZone === null ? undefined : curves.get(electricityZone);
    if (electricityZone === null || curve === undefined || zones.has(electricityZone)) continue;
    const patience = { nowSeconds: window.nowSeconds, waiting: waiting?.get(electricityZone) };
    zones.set(electricityZone, zoneMeans(curve, starts, seconds, patience));
  }
  return zones;
}

/** The score of the best place for an immediate start. */
function bestNow(offers: readonly Offer[]): number {
  const scores = offers.map(({ zone, kilowattHours, scorePerGram, unknownScore, restScore }) => {
    return (zone === undefined ? unknownScore : scorePerGram * kilowattHours * zone.netAt(0)) + restScore;
  });
  return Math.min(...scores);
}

type Bare = Pick<Offer, "candidate" | "zone" | "kilowattHours">;

function scored(bare: readonly Bare[], objective: PlacementRequest["objective"]): Offer[] {
  const carbon = normalise(
    bare.map(({ zone, kilowattHours }) => (zone === undefined ? null : kilowattHours * zone.netAt(zone.best))),
  );
  const price = normalise(bare.map(({ candidate }) => candidate.pricePerHour));
  const latency = normalise(bare.map(({ candidate }) => candidate.latencyMs));
  const isSomePriced = bare.some(({ candidate }) => candidate.pricePerHour !== null);
  return bare.map((offer): Offer => {
    const { pricePerHour, latencyMs } = offer.candidate;
    const priceScore = pricePerHour === null ? price.unknown : pricePerHour * price.factor;
    const surcharge = pricePerHour === null && isSomePriced ? UNKNOWN_PRICE : 0;
    const latencyScore = latencyMs === null ? latency.unknown : latencyMs * latency.factor;
    return {
      candidate: offer.candidate,
      zone: offer.zone,
      kilowattHours: offer.kilowattHours,
      scorePerGram: objective.carbon * carbon.factor,
      unknownScore: objective.carbon * carbon.unknown,
      restScore: objective.price * priceScore + objective.latency * latencyScore + surcharge,
    };
  });
}

/**
 * The possible starts, and every candidate with its scoring factors and the parts of the score that do not depend on
 * the start.
 */
export function makeOffers(request: PlacementRequest): { offers: Offer[]; times: OfferTimes } {
  const { candidates, power, objective, window, waitingCost = 0 } = request;
  // A long-running machine is scored by the mean of the coming week.
  const seconds = window.durationSeconds ?? WEEK_SECONDS;
  const starts = possibleStarts(window);
  const zones = meansByZone(request, starts, seconds);
  const hours = (window.durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS;
  const bare = candidates.map((candidate): Bare => {
    const zone = candidate.electricityZone === null ? undefined : zones.get(candidate.electricityZone);
    return { candidate, zone, kilowattHours: powerKw(power, candidate) * hours };
  });
  const offers = scored(bare, objective);
  // One start waits for nothing; a run that may pause waits in its pauses.
  const waits = starts.count > 0 || request.pauses !== undefined;
  const perDay = waitingCost === 0 || !waits ? 0 : waitingCost * bestNow(offers);
  return { offers, times: { starts, seconds, waitingCost: perDay / DAY_SECONDS } };
}
