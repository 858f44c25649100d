import type { Placement } from "../../../model/decision.ts";
import { isPaused } from "../../../model/decision-annotation/pause.ts";
import { type PauseRules, readPauses, type Segment } from "../../../model/runs/pause-rules.ts";
import { progressAt, type RunProgress } from "../../../model/runs/run-times.ts";
import type { PausingTimes } from "../../../model/pausing-times.ts";
import { formatTime, HOUR_SECONDS } from "../../../model/time.ts";
import { writeDecision, writing } from "../../respond/write-decision.ts";
import type { Allowed, DecisionRequest, Outcome } from "../../types.ts";
import { bare, type Change, specOf } from "../change.ts";
import { withParts } from "../planned-parts.ts";
import { decideHere, neededGains, stays } from "./reconsider.ts";
import { moveBetween, neededGain, percent, withMove } from "./worth-moving.ts";
import { ForecastCurve } from "../../../placement/curves.ts";
import { platformBudgets } from "../../../placement/headroom.ts";
import { bandErrors, optionValue } from "../../../placement/option-value.ts";
import type { PlacementRequest } from "../../../placement/placement-request.ts";
import { type BegunRun, type RestPlan, splitRest } from "../../../placement/split/split-rest.ts";
import { readRequest } from "../../check/read-request.ts";
import { intensityCurves } from "../../decide/intensity-curves.ts";
import { loadOf, placementRequest, waitingCostOf } from "../../decide/place-workload.ts";
import { policyInput } from "../../decide/policy-input.ts";

/** The option value of hours to come, as the rest of a run is decided again until its end: as in `landfall simulate`. */
function optionOf(
  request: DecisionRequest,
  asked: PlacementRequest,
  latestStart: number,
): Pick<PlacementRequest, "waiting"> {
  const zone = asked.candidates[0]?.electricityZone ?? null;
  const curve = zone === null ? undefined : intensityCurves(request).get(zone);
  const { nowSeconds } = request;
  const errors = curve instanceof ForecastCurve ? bandErrors(curve, nowSeconds, HOUR_SECONDS) : null;
  if (zone === null || errors === null) return {};
  const patience = optionValue({ nowSeconds, latestStart, waitingCost: asked.waitingCost ?? 0 });
  return { waiting: new Map([[zone, { errors, patience, charge: 0 }]]) };
}

/**
 * The best plan for the rest of a run that has begun, or begins now; null if there is nothing to choose by. The request is one for a started object
 * with its place as pins.
 */
export function placeRest(request: DecisionRequest, run: BegunRun): RestPlan | null {
  const pinned = { ...request.object, spec: { ...request.object.spec, ...request.pins } };
  const workload = readRequest(request.kind, pinned);
  const result = request.policy.evaluate(policyInput({ ...request, object: pinned, request: workload }));
  const { durationSeconds, deadline } = workload;
  if (result.candidates.length !== 1 || durationSeconds === null || deadline === null) return null;
  const begun = placementRequest(request, workload, result);
  const budgets = platformBudgets(result.schedule.budgets, loadOf(request));
  const asked: PlacementRequest = {
    ...{ ...begun, window: { ...begun.window, deadline }, waitingCost: waitingCostOf(result) },
    ...{ pauseGain: result.schedule.minimumGain, ...(budgets === null ? {} : { budgets }) },
  };
  const again = result.schedule.decidedAgain === true;
  return splitRest({ ...asked, ...(again ? optionOf(request, asked, deadline - durationSeconds) : {}) }, run);
}

/** The parts of the whole run: those that are done, then the rest. The first one begins at the decided start. */
function partsOf(
  { done, rest }: Pick<RunProgress, "done" | "rest">,
  start: string,
): NonNullable<Placement["segments"]> {
  const parts = [...done];
  const [last, next] = [parts.at(-1), rest[0]];
  const goesOn = last !== undefined && next?.start === last.end;
  if (goesOn) parts[parts.length - 1] = { start: last.start, end: next.end };
  const all: Segment[] = [...parts, ...rest.slice(goesOn ? 1 : 0)];
  return all.map((part, at) => ({ start: at === 0 ? start : formatTime(part.start), end: formatTime(part.end) }));
}

interface Parts {
  segments: NonNullable<Placement["segments"]>;
  end: string;
}

const planOf = (progress: Pick<RunProgress, "done" | "rest">, start: string): Parts => {
  const segments = partsOf(progress, start);
  return { segments, end: segments.at(-1)?.end ?? start };
};

/** The pauses that are ahead, in words. */
function pausesAhead({ segments }: Parts, nowSeconds: number): string {
  const now = formatTime(nowSeconds);
  const pauses = segments.slice(1).map(({ start }, at) => ({ from: segments[at]?.end ?? "", to: start }));
  const ahead = pauses.filter(({ to }) => to > now).map(({ from, to }) => `${from} to ${to}`);
  return ahead.length === 0 ? "it does not pause any more" : `it pauses ${ahead.join(", ")}`;
}

const SAME = "the rest of its run stays as it is planned";

interface Begun {
  request: DecisionRequest;
  progress: RunProgress;
  times: PausingTimes;
}

/** How far the run is; a text if its plan stays as it is. */
function begunRun(change: Change): Begun | string {
  const { update, context, earlier, values } = change;
  const times = context.owners.timesOf(update.oldObject);
  if (times === null) return "its start has come, so it is not moved: the PlacementReport says what would be better";
  if (isPaused(update.oldObject)) return `${SAME}: its user pauses it`;
  const progress = progressAt(times, context.nowSeconds);
  if (progress === null) return `${SAME}: it begins, pauses, resumes or ends just now`;
  const { provider, region, start } = earlier.placement;
  const pins = { ...values, provider, schedulingLocation: region, schedulingTime: start };
  const request = { ...context, kind: update.kind, object: bare(change), operation: "UPDATE", started: true } as const;
  return { request: { ...request, pins }, progress, times };
}

/** A resume takes as long as when the run was decided: boot times that were learned since count for other runs. */
const begunWith = (rules: PauseRules, { plan, limit }: PausingTimes) => ({
  rules: { ...rules, resumeSeconds: plan.resume ?? rules.resumeSeconds },
  limit,
});

/** The plan that replaces the present one. */
interface Exchange {
  parts: Parts;
  gain: number;
  /** In a word, and what it is worth. */
  why: string;
  saved: string;
}

/** Writes the decision with another plan for the rest of the run. */
function write(change: Change, request: DecisionRequest, { parts, gain, why, saved }: Exchange): Outcome {
  const { context, earlier, update, values } = change;
  const here = decideHere(request, { placement: earlier.placement, values, pending: false });
  if (!here.allowed || here.placement === null) return stays(`${SAME}: today its place would not be allowed`);
  const again = withParts(request, here, parts);
  const { nowSeconds } = context;
  const text = `the rest of its run is planned again: ${pausesAhead(parts, nowSeconds)}, and ends ${parts.end}${saved}`;
  const decision = { ...again, warnings: [...again.warnings, { code: "MOVED", message: text }] };
  const moves = withMove(earlier.moves, moveBetween(here.placement, here.placement, nowSeconds, { gain, why }));
  return writeDecision({ ...writing(context), object: update.object, decision, moves, run: earlier.run ?? "" });
}

/**
 * `landfall.dev/reevaluate: if-better` for a run that has begun and may pause: its place stays, and the rest of it is decided again.
 * Pauses that have begun stay as they were, and count.
 */
export function reconsiderRest(change: Change): Outcome {
  const { context, earlier, update } = change;
  const rules = readPauses(specOf(update.oldObject));
  const begun = begunRun(change);
  if (typeof begun === "string") return stays(begun);
  const { request, progress, times } = begun;
  const plan = rules === null ? null : placeRest(request, { progress, ...begunWith(rules, times) });
  if (plan === null) return stays(`${SAME}: its carbon does not count or is not known, or its place is full`);
  const { gain, isLate } = plan;
  const needed = neededGain(neededGains(request).move, earlier.moves ?? [], context.nowSeconds);
  const isBetter = gain > 0 && gain >= needed;
  if (!isBetter && !isLate) return unchangedPlan(gain, needed);
  const parts = planOf({ done: progress.done, rest: plan.segments }, earlier.placement.start);
  const worth = isBetter
    ? { why: "forecast, rest of the run", saved: `: ${percent(gain)} less CO2e, waiting counted` }
    : { why: "deadline", saved: ", so that it ends in time" };
  return write(change, request, { parts, gain, ...worth });
}

const unchangedPlan = (gain: number, needed: number): Allowed =>
  stays(
    gain <= 0
      ? `${SAME}: nothing is better`
      : `${SAME}: another plan saves ${percent(gain)} and ${percent(needed)} are needed`,
  );
