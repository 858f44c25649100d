import { HOUR_SECONDS, WEEK_SECONDS } from "../model/time.ts";
import type { Offer, OfferTimes } from "./best-offer.ts";
import { powerKw } from "./energy.ts";
import type { PlacementRequest } from "./placement-request.ts";
import { possibleStarts } from "./possible-starts.ts";
import { type ZoneMeans, zoneMeans } from "./zone-means.ts";

/** Factor by which an unknown figure is worse than the worst known one. */
const UNKNOWN_FACTOR = 1.001;

/**
 * Makes figures of different kinds comparable: each is divided by the mean of the known ones. An unknown figure counts
 * as slightly worse than the worst known one, so that a missing price or zone is never an advantage.
 */
function normaliser(values: readonly (number | null)[]): (value: number | null) => number {
  let [sum, count, worst] = [0, 0, 0];
  for (const value of values) {
    if (value === null) continue;
    sum += value;
    count += 1;
    if (value > worst) worst = value;
  }
  if (count === 0 || sum <= 0) return () => 0;
  const mean = sum / count;
  return (value) => (value ?? worst * UNKNOWN_FACTOR) / mean;
}

/** Mean intensities by zone at every start, computed once per zone. */
function meansByZone({ candidates, curves, waiting, window }: PlacementRequest, { starts, seconds }: OfferTimes) {
  const zones = new Map<string, ZoneMeans>();
  for (const { electricityZone } of candidates) {
    const curve = electricityZone === null ? undefined : curves.get(electricityZone);
    if (electricityZone === null || curve === undefined || zones.has(electricityZone)) continue;
    const patience = { nowSeconds: window.nowSeconds, waiting: waiting?.get(electricityZone) };
    zones.set(electricityZone, zoneMeans(curve, starts, seconds, patience));
  }
  return zones;
}

/**
 * The possible starts, and every candidate with its scoring function and the parts of the score that do not depend on
 * the start.
 */
export function makeOffers(request: PlacementRequest): { offers: Offer[]; times: OfferTimes } {
  const { candidates, power, objective, window } = request;
  // A long-running machine is scored by the mean of the coming week.
  const times: OfferTimes = {
    starts: possibleStarts(window),
    seconds: window.durationSeconds ?? WEEK_SECONDS,
  };
  const zones = meansByZone(request, times);
  const hours = (window.durationSeconds ?? HOUR_SECONDS) / HOUR_SECONDS;
  const bare = candidates.map((candidate) => {
    const zone = candidate.electricityZone === null ? undefined : zones.get(candidate.electricityZone);
    return { candidate, zone, kilowattHours: powerKw(power, candidate) * hours };
  });
  const carbonOf = normaliser(
    bare.map(({ zone, kilowattHours }) => (zone === undefined ? null : kilowattHours * zone.netAt(zone.best))),
  );
  const priceOf = normaliser(candidates.map(({ pricePerHour }) => pricePerHour));
  const latencyOf = normaliser(candidates.map(({ latencyMs }) => latencyMs));
  const carbonScore = (grams: number | null): number => objective.carbon * carbonOf(grams);
  const offers = bare.map(({ candidate, zone, kilowattHours }): Offer => {
    const { pricePerHour, latencyMs } = candidate;
    const restScore = objective.price * priceOf(pricePerHour) + objective.latency * latencyOf(latencyMs);
    return { candidate, zone, kilowattHours, carbonScore, restScore };
  });
  return { offers, times };
}
