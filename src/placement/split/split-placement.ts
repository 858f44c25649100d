import { type PauseRules, reserveOf } from "../../model/pause-rules.ts";
import type { Offer, OfferTimes } from "../best-offer.ts";
import type { PlacementAnswer, ScoredPlace } from "../choose-placement.ts";
import { headroom } from "../headroom.ts";
import { makeOffers } from "../make-offers.ts";
import type { PlacementRequest } from "../placement-request.ts";
import { leastEmissions } from "./least-emissions.ts";
import type { SplitPlan, SplitRequest } from "./split-request.ts";
import { splitRun } from "./split-run.ts";

/** Plans of one decision, at most: 3 ms each. Places are planned in the order of what they could reach at best. */
const MOST_PLANS = 8;

interface Splittable {
  offer: Offer;
  request: SplitRequest;
  /** Score of one gCO2eq/kWh × s of this place's machine. */
  unit: number;
  /** No plan scores less. */
  least: number;
}

/** The request of one place; null if its carbon is not known or does not count. */
function splittable(asked: PlacementRequest, rules: PauseRules, offer: Offer, times: OfferTimes): Splittable | null {
  const { window, waiting, pauseGain = 0 } = asked;
  const { nowSeconds, durationSeconds, deadline, latestStart, horizonSeconds } = window;
  const zone = offer.candidate.electricityZone ?? "";
  const curve = asked.curves.get(zone);
  if (curve === undefined || offer.scorePerGram === 0 || durationSeconds === null || deadline === null) return null;
  const unit = (offer.scorePerGram * offer.kilowattHours) / durationSeconds;
  const waits = waiting?.get(zone);
  const request: SplitRequest = {
    ...{ curve, nowSeconds, workSeconds: durationSeconds, rules, state: { is: "waiting" } },
    latestEnd: Math.min(deadline, nowSeconds + horizonSeconds + durationSeconds),
    reserveSeconds: reserveOf(rules),
    latestStart,
    waitingCost: times.waitingCost / unit,
    pauseCost: pauseGain * curve.meanOver(nowSeconds, durationSeconds) * durationSeconds,
    ...(waits === undefined ? {} : { bonus: waits.errors.map((error) => waits.patience * error) }),
  };
  const bonus = Math.max(0, ...(request.bonus ?? []));
  const least = leastEmissions(curve, nowSeconds, request.latestEnd, durationSeconds) - bonus * durationSeconds;
  return { offer, request, unit, least: unit * least + offer.restScore };
}

/** From the first part to the last, pauses included. */
const spanOf = ({ segments }: SplitPlan): number => (segments.at(-1)?.end ?? 0) - (segments[0]?.start ?? 0);

/** The surcharge of a place for the whole time from the first part to the last: it is not given away during a pause. */
function factorOf({ load, budgets }: PlacementRequest, { candidate }: Offer, plan: SplitPlan): number {
  if (budgets === undefined) return 1;
  const start = plan.segments[0]?.start ?? 0;
  const starts = { first: start, grid: start, count: 0 };
  return headroom({ candidate, starts, seconds: spanOf(plan), load, budgets }).factorAt(0);
}

/** The best plan of a place that pauses; null if the best one does not, or the place is full. */
function planOf(asked: PlacementRequest, { offer, request, unit }: Splittable): ScoredPlace | null {
  const plan = splitRun(request);
  const fits = plan.segments.length > 1 && spanOf(plan) <= (asked.maxSpanSeconds ?? Number.POSITIVE_INFINITY);
  const factor = fits ? factorOf(asked, offer, plan) : Number.POSITIVE_INFINITY;
  if (factor === Number.POSITIVE_INFINITY) return null;
  const { segments, emitted, cost } = plan;
  const grams = offer.kilowattHours / request.workSeconds;
  const delay = (segments.at(-1)?.end ?? 0) - request.nowSeconds - request.workSeconds;
  const net = cost - request.waitingCost * delay - request.pauseCost * (segments.length - 1);
  return {
    candidate: offer.candidate,
    start: segments[0]?.start ?? request.nowSeconds,
    gramsCO2: grams * emitted,
    netGrams: grams * net,
    gramsPerDay: null,
    score: unit * cost + offer.restScore + (factor - 1) * (unit * net + offer.restScore),
    segments,
  };
}

/**
 * The answer for a run that may pause: the place whose run costs least, with pauses or without, comes first. A place that could
 * not be better with free pauses is not planned.
 */
export function splitPlacement(asked: PlacementRequest, answer: PlacementAnswer): PlacementAnswer {
  const { pauses: rules, window } = asked;
  const [chosen] = answer.ranked;
  if (rules === undefined || rules.maxPauses === 0 || chosen === undefined || window.pinnedStart !== null)
    return answer;
  const { offers, times } = makeOffers(asked);
  const open = offers.flatMap((offer) => splittable(asked, rules, offer, times) ?? []);
  open.sort((a, b) => a.least - b.least);
  let best = chosen;
  for (const one of open.slice(0, MOST_PLANS)) {
    if (one.least >= best.score) break;
    const plan = planOf(asked, one);
    if (plan !== null && plan.score < best.score) best = { ...plan, gramsPerDay: chosen.gramsPerDay };
  }
  const { place } = best.candidate;
  return { ...answer, ranked: [best, ...answer.ranked.filter(({ candidate }) => candidate.place !== place)] };
}
