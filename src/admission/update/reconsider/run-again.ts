import type { Decision } from "../../../model/decision.ts";
import { stringOf } from "../../../model/json.ts";
import { readPauses, type Segment, withBoot } from "../../../model/runs/pause-rules.ts";
import { formatTime, parseDuration } from "../../../model/time.ts";
import { decideAlone } from "../../decide/decide.ts";
import type { DecisionRequest, Outcome } from "../../types.ts";
import { type Change, specOf } from "../change.ts";
import { redecideInPlace } from "../installed/redecide-in-place.ts";
import { withParts } from "../planned-parts.ts";
import { neededGains } from "./reconsider.ts";
import { placeRest } from "./reconsider-rest.ts";

/** When the machine has to be gone; null for never. The end of the last run stops a machine with `whenDone: stop`, and its limit begins again. */
function limitOf({ update, context }: Change): number | null {
  const limit = parseDuration(stringOf(specOf(update.object)["maxLifetime"]));
  const began = context.owners.beganOf(update.oldObject);
  const isStopped = specOf(update.oldObject)["whenDone"] === "stop";
  const { nowSeconds } = context;
  return limit === null ? null : (isStopped ? nowSeconds : (began?.firstStartedAt ?? nowSeconds)) + limit;
}

/** The parts of a run that begins now and may pause; null if it must not, or one continuous run is as good. */
function partsOf(change: Change, request: DecisionRequest, bootSeconds: number): Segment[] | null {
  const { nowSeconds } = request;
  const spec = specOf(change.update.object);
  const [rules, seconds] = [readPauses(spec), parseDuration(stringOf(spec["duration"]))];
  if (rules === null || seconds === null) return null;
  const rest = [{ start: nowSeconds, end: nowSeconds + seconds }];
  const plan = placeRest(
    { ...request, started: true },
    {
      progress: { state: { is: "running", seconds: 0 }, workSeconds: seconds, pauses: 0, done: [], rest },
      rules: withBoot(rules, bootSeconds),
      limit: limitOf(change),
    },
  );
  const isBetter = plan !== null && plan.gain > 0 && plan.gain >= neededGains(request).move;
  return isBetter && plan.segments[0]?.start === nowSeconds ? plan.segments : null;
}

/** The decision for a run from now on, split over the hours until its deadline if it may pause and that pays. */
function split(change: Change, request: DecisionRequest, here: Decision): Decision {
  const { placement } = here;
  const parts = placement === null ? null : partsOf(change, request, placement.boot?.seconds ?? 0);
  if (placement === null || parts === null) return here;
  const segments = parts.map(({ start, end }) => ({ start: formatTime(start), end: formatTime(end) }));
  return withParts(request, here, { segments, end: segments.at(-1)?.end ?? placement.end });
}

/**
 * Decides another run on the machine that the last one left: its place and its machine stay, and everything else is its own, as for a new object that
 * starts now. Times of the last run, such as a deadline that has passed, do not hold for it.
 */
export function runAgain(change: Change): Outcome {
  return redecideInPlace(change, ({ started: _started, running: _running, ...asked }) => {
    const request = { ...asked, pins: { ...asked.pins, schedulingTime: formatTime(asked.nowSeconds) } };
    return split(change, request, decideAlone(request));
  });
}
