import { type PauseRules, reserveOf, type Segment } from "../../model/runs/pause-rules.ts";
import type { RunProgress } from "../../model/runs/run-times.ts";
import { DAY_SECONDS } from "../../model/time.ts";
import { headroom } from "../headroom.ts";
import { makeOffers } from "../make-offers.ts";
import type { PlacementRequest } from "../placement-request.ts";
import { splittable } from "./split-placement.ts";
import { costOver, type SplitRequest } from "./split-request.ts";
import { splitRun } from "./split-run.ts";
import { QUARTER_SECONDS } from "../possible-starts.ts";

function costOfPart(request: SplitRequest, { start, end }: Segment): number {
  let sum = 0;
  for (let time = start; time < end;) {
    const next = Math.min(end, (Math.floor(time / QUARTER_SECONDS) + 1) * QUARTER_SECONDS);
    sum += costOver(request, time, next - time);
    time = next;
  }
  return sum;
}

/** The cost of these parts of the rest of a run, as `splitRun` counts it: whether they meet the limits is not looked at. */
export function planCost(request: SplitRequest, segments: readonly Segment[]): number {
  const { nowSeconds, workSeconds, waitingCost, pauseCost, state } = request;
  const emitted = segments.reduce((sum, part) => sum + costOfPart(request, part), 0);
  const delay = (segments.at(-1)?.end ?? nowSeconds) - nowSeconds - workSeconds;
  const first = state.is === "running" && (segments[0]?.start ?? nowSeconds) > nowSeconds ? 1 : 0;
  return emitted + waitingCost * delay + pauseCost * (segments.length - 1 + first);
}

/** A run that has begun. */
export interface BegunRun {
  progress: RunProgress;
  /** Of the whole run; what a resume takes is what its plan says. */
  rules: PauseRules;
  /** When its machine has to be gone, in seconds since 1970; null without a limit. */
  limit: number | null;
}

/** Another plan for the rest of a run. */
export interface RestPlan {
  /** From now on. */
  segments: Segment[];
  /** Share of the run's emissions that it saves, with what waiting and pauses cost; negative if it costs more. */
  gain: number;
  /** The present plan ends too late, and this one earlier. */
  isLate: boolean;
}

const endOf = (parts: readonly Segment[]): number => parts.at(-1)?.end ?? 0;

/** The rest as a request; null where carbon does not count or is not known. `asked` has the run's place as its only candidate. */
function requestOf(asked: PlacementRequest, { progress, rules, limit }: BegunRun): SplitRequest | null {
  const { nowSeconds, durationSeconds, deadline, horizonSeconds, bootSeconds = 0 } = asked.window;
  if (durationSeconds === null || deadline === null) return null;
  // The cost of waiting is a share of an immediate run, whose deadline is not that of the rest.
  const free = { ...asked.window, pinnedStart: null, deadline: nowSeconds + durationSeconds + DAY_SECONDS };
  const { offers, times } = makeOffers({ ...asked, window: free });
  const [offer] = offers;
  const whole = offer === undefined ? null : splittable({ ...asked, window: free }, rules, offer, times);
  if (whole === null) return null;
  const { workSeconds, pauses, state } = progress;
  const latest = Math.min(deadline - bootSeconds, limit ?? Number.POSITIVE_INFINITY);
  return {
    ...{ ...whole.request, workSeconds, state, reserveSeconds: reserveOf(rules) },
    latestEnd: Math.min(latest, nowSeconds + horizonSeconds + workSeconds),
    rules: { ...rules, maxPauses: Math.max(0, rules.maxPauses - pauses) },
  };
}

/** Whether the place has no capacity for a run that ends later than it is planned. */
function isFull({ budgets, load, candidates, window }: PlacementRequest, end: number, plannedEnd: number): boolean {
  const [candidate] = candidates;
  if (budgets === undefined || candidate === undefined || end <= plannedEnd) return false;
  const starts = { first: plannedEnd, grid: window.nowSeconds, count: 0 };
  const room = headroom({ candidate, starts, seconds: end - plannedEnd, load, budgets });
  return room.factorAt(0) === Number.POSITIVE_INFINITY;
}

/**
 * The best plan for the rest of a run that has begun, next to the present one; null if nothing is known to compare them by, or the
 * place has no capacity for it. The pauses that have begun count against `maxPauses`.
 */
export function splitRest(asked: PlacementRequest, run: BegunRun): RestPlan | null {
  const request = requestOf(asked, run);
  if (request === null) return null;
  const { done, rest } = run.progress;
  const { segments } = splitRun(request);
  const [end, plannedEnd] = [endOf(segments), endOf(rest)];
  if (isFull(asked, end, plannedEnd)) return null;
  const whole = [...done, ...rest].reduce((sum, part) => {
    return sum + request.curve.meanOver(part.start, part.end - part.start) * (part.end - part.start);
  }, 0);
  const saved = planCost(request, rest) - planCost(request, segments);
  const gain = whole > 0 ? Math.round((saved / whole) * 1e4) / 1e4 : 0;
  return { segments, gain, isLate: plannedEnd > request.latestEnd && end < plannedEnd };
}
