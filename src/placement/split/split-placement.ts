import { type PauseRules, reserveOf, withBoot } from "../../model/runs/pause-rules.ts";
import type { Offer, OfferTimes } from "../best-offer.ts";
import type { PlacementAnswer, ScoredPlace } from "../choose-placement.ts";
import { headroom } from "../headroom.ts";
import { makeOffers } from "../make-offers.ts";
import { QUARTER_SECONDS, quarterSums, type StartWindow } from "../possible-starts.ts";
import type { PlacementRequest } from "../placement-request.ts";
import { type SplitPlan, type SplitRequest, stepOf } from "./split-request.ts";
import { splitRun } from "./split-run.ts";
import type { IntensityCurve } from "../../model/places/intensity.ts";

/** Cells of the tables of all starts that are tried, at most: about eight milliseconds. */
const MOST_CELLS = 1_000_000;
/** Starts that are tried, about as many: each costs some work whatever its cells. */
const MOST_STARTS = 200;

/** From the beginning of the first part to the end of the last one, pauses included. */
export const spanOf = ({ segments }: SplitPlan): number => (segments.at(-1)?.end ?? 0) - (segments[0]?.start ?? 0);

/** The earliest starts to try, on the grid: every one of it, or as many as the cells allow. */
function startsOf(request: SplitRequest, step: number, maxSpan: number): number[] {
  const { nowSeconds, workSeconds, latestEnd, latestStart = Number.POSITIVE_INFINITY, rules } = request;
  const cells = (maxSpan / step) * (workSeconds / step + 1) * (rules.maxPauses + 1) * 2;
  const first = Math.ceil(nowSeconds / step) * step;
  const last = Math.min(latestEnd - maxSpan + step, latestStart);
  const steps = Math.max(0, Math.floor((last - first) / step));
  const most = Math.min(MOST_STARTS, Math.max(1, Math.floor(MOST_CELLS / cells)));
  const stride = step * Math.max(1, Math.ceil(steps / most));
  const count = Math.max(0, Math.ceil((last - first) / stride)) + 1;
  return [nowSeconds, ...Array.from({ length: count }, (_, at) => Math.min(first + at * stride, first + steps * step))];
}

/**
 * The best plan of a run that has not begun and is over `maxSpan` seconds after its start, whenever that is. A run that may have to
 * resume keeps its reserve also before that. Each start of the grid is tried, in larger steps for long windows: exact then for plans
 * that are shorter by such a step. The plan without the limit, if even that one costs `enough`.
 */
export function splitWithin(request: SplitRequest, maxSpan: number, enough = Number.POSITIVE_INFINITY): SplitPlan {
  const free = splitRun(request);
  const reserve = free.segments.length > 1 ? request.reserveSeconds : 0;
  if (spanOf(free) + reserve <= maxSpan || free.cost >= enough) return free;
  const step = stepOf(request);
  const plans = startsOf(request, step, maxSpan).map((earliestStart) => {
    const latestEnd = Math.min(request.latestEnd, earliestStart + maxSpan);
    return splitRun({ ...request, earliestStart, latestEnd }, step);
  });
  return plans.reduce((best, one) => (one.cost < best.cost ? one : best));
}

/**
 * The least emissions of a run of `seconds` between two times, with any number of free pauses: the sum of its lowest
 * quarters of an hour, in gCO2eq/kWh × s. A lower bound of every plan.
 */
export function leastEmissions(curve: IntensityCurve, from: number, to: number, seconds: number): number {
  const { base, sums } = quarterSums(curve, from, to);
  const first = Math.floor((from - base) / QUARTER_SECONDS);
  const last = Math.ceil((to - base) / QUARTER_SECONDS);
  const quarters = Float64Array.from({ length: last - first }, (_, at) => {
    return (sums[first + at + 1] ?? 0) - (sums[first + at] ?? 0);
  }).sort();
  const whole = Math.floor(seconds / QUARTER_SECONDS);
  const rest = (seconds - whole * QUARTER_SECONDS) / QUARTER_SECONDS;
  return quarters.subarray(0, whole).reduce((sum, one) => sum + one, 0) + rest * (quarters[whole] ?? 0);
}

/** Plans of one decision, at most: 3 ms each. Places are planned in the order of what they could reach at best. */
const MOST_PLANS = 8;

interface Splittable {
  offer: Offer;
  request: SplitRequest;
  /** Score of one gCO2eq/kWh × s of this place's machine. */
  unit: number;
}

/** The latest end of the work: the boot takes a part of the time to the deadline. */
function latestEndOf({ deadline, nowSeconds, horizonSeconds, durationSeconds, bootSeconds = 0 }: StartWindow): number {
  const horizon = nowSeconds + horizonSeconds + (durationSeconds ?? 0);
  return deadline === null ? horizon : Math.min(deadline - bootSeconds, horizon);
}

/** The request of one place; null if its carbon is not known or does not count. */
export function splittable(
  asked: PlacementRequest,
  rules: PauseRules,
  offer: Offer,
  times: OfferTimes,
): Splittable | null {
  const { window, waiting, pauseGain = 0 } = asked;
  const { nowSeconds, durationSeconds, deadline, latestStart } = window;
  const zone = offer.candidate.electricityZone ?? "";
  const curve = asked.curves.get(zone);
  if (curve === undefined || offer.scorePerGram === 0 || durationSeconds === null || deadline === null) return null;
  const unit = (offer.scorePerGram * offer.kilowattHours) / durationSeconds;
  const waits = waiting?.get(zone);
  const request: SplitRequest = {
    ...{ curve, nowSeconds, workSeconds: durationSeconds, rules, state: { is: "waiting" } },
    latestEnd: latestEndOf(window),
    reserveSeconds: reserveOf(rules),
    latestStart,
    waitingCost: times.waitingCost / unit,
    pauseCost: pauseGain * curve.meanOver(nowSeconds, durationSeconds) * durationSeconds,
    ...(waits === undefined ? {} : { bonus: waits.errors.map((error) => waits.patience * error) }),
  };
  return { offer, request, unit };
}

/** No plan of a place scores less. The lowest quarters of an hour are found once for each zone: they are sorted. */
function lowerBound(): (place: Splittable) => number {
  const known = new Map<IntensityCurve, number>();
  return ({ offer, request, unit }) => {
    const { curve, nowSeconds, latestEnd, workSeconds } = request;
    const emitted = known.get(curve) ?? leastEmissions(curve, nowSeconds, latestEnd, workSeconds);
    known.set(curve, emitted);
    const bonus = Math.max(0, ...(request.bonus ?? []));
    return unit * (emitted - bonus * workSeconds) + offer.restScore;
  };
}

/** The surcharge of a place for the whole time from the first part to the last: it is not given away during a pause. */
function factorOf({ load, budgets }: PlacementRequest, { candidate }: Offer, plan: SplitPlan): number {
  if (budgets === undefined) return 1;
  const start = plan.segments[0]?.start ?? 0;
  const starts = { first: start, grid: start, count: 0 };
  return headroom({ candidate, starts, seconds: spanOf(plan), load, budgets }).factorAt(0);
}

/** The best plan of a place; one that scores no less than `best` may take longer than it may. */
function bestPlan({ maxSpanSeconds }: PlacementRequest, { offer, request, unit }: Splittable, best: number): SplitPlan {
  if (maxSpanSeconds === undefined) return splitRun(request);
  return splitWithin(request, maxSpanSeconds, (best - offer.restScore) / unit);
}

/** The best plan of a place that pauses and scores less than `best`; null if there is none, or the place is full. */
function planOf(asked: PlacementRequest, place: Splittable, best: number): ScoredPlace | null {
  const { offer, request, unit } = place;
  const plan = bestPlan(asked, place, best);
  const factor = plan.segments.length > 1 ? factorOf(asked, offer, plan) : Number.POSITIVE_INFINITY;
  if (factor === Number.POSITIVE_INFINITY) return null;
  const { segments, emitted, cost } = plan;
  const grams = offer.kilowattHours / request.workSeconds;
  const delay = (segments.at(-1)?.end ?? 0) - request.nowSeconds - request.workSeconds;
  const net = cost - request.waitingCost * delay - request.pauseCost * (segments.length - 1);
  const score = unit * cost + offer.restScore + (factor - 1) * (unit * net + offer.restScore);
  if (score >= best) return null;
  return {
    candidate: offer.candidate,
    start: segments[0]?.start ?? request.nowSeconds,
    gramsCO2: grams * emitted,
    netGrams: grams * net,
    gramsPerDay: null,
    score,
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
  const rulesOf = ({ candidate }: Offer): PauseRules => withBoot(rules, asked.bootSeconds?.[candidate.provider] ?? 0);
  const leastOf = lowerBound();
  const open = offers.flatMap((offer) => {
    const place = splittable(asked, rulesOf(offer), offer, times);
    return place === null ? [] : [{ place, least: leastOf(place) }];
  });
  open.sort((a, b) => a.least - b.least);
  let best = chosen;
  for (const { place, least } of open.slice(0, MOST_PLANS)) {
    if (least >= best.score) break;
    const plan = planOf(asked, place, best.score);
    if (plan !== null) best = { ...plan, gramsPerDay: chosen.gramsPerDay };
  }
  const { place } = best.candidate;
  return { ...answer, ranked: [best, ...answer.ranked.filter(({ candidate }) => candidate.place !== place)] };
}
