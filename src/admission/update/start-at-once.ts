import type { Decision, Placement } from "../../model/decision.ts";
import { formatGrams } from "../../model/intensity.ts";
import type { CompactDecision, Move } from "../../model/decision-annotation/compact-decision.ts";
import { bare, type Change } from "./change.ts";
import { decideAlone } from "../decide/decide.ts";
import { moveBetween, shareSaved, withMove } from "./worth-moving.ts";
import type { Outcome } from "../types.ts";
import { writeDecision, writing } from "../respond/write-decision.ts";

/** What its user gives up by not waiting. */
function hurried(decision: Decision, { placement }: CompactDecision): Decision {
  const [before, after] = [placement.gramsCO2, decision.placement?.gramsCO2 ?? null];
  const price = before === null || after === null ? "" : `: ${formatGrams(after)} instead of ${formatGrams(before)}`;
  const message = `starts now and not at ${placement.start}${price}`;
  return { ...decision, warnings: [...decision.warnings, { code: "START_NOW", message }] };
}

function hurriedMove(from: Placement, to: Placement, nowSeconds: number, reason: string): Move {
  const gain = shareSaved(from.gramsCO2, to.gramsCO2);
  return moveBetween(from, to, nowSeconds, { gain, why: `start-now: ${reason}` });
}

/**
 * An object that waits for its start and has a reason to start at once: decided again for now, in the best place for now. The
 * pause stays: the controller takes it away within seconds and writes the Event.
 */
export function startAtOnce(change: Change, reason: string): Outcome {
  const { update, context, earlier } = change;
  const decision = decideAlone({ ...context, kind: update.kind, object: bare(change), operation: "UPDATE" });
  const { placement } = decision;
  return writeDecision({
    ...writing(context),
    object: update.object,
    decision: hurried(decision, earlier),
    moves:
      placement === null
        ? []
        : withMove(earlier.moves, hurriedMove(earlier.placement, placement, context.nowSeconds, reason)),
  });
}
