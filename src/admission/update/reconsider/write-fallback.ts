import { isSignedFor, type SignedCommand } from "../../../model/decision-annotation/command.ts";
import type { Decision, Placement } from "../../../model/decision.ts";
import type { WrittenField } from "../../../model/workload.ts";
import { writeDecision, writing } from "../../respond/write-decision.ts";
import type { Outcome } from "../../types.ts";
import type { Change } from "../change.ts";
import { moveBetween, withMove } from "./worth-moving.ts";

/** A decision for another machine, with the move to it. */
interface Fallback {
  decided: Decision;
  warning: { code: string; message: string };
  from: Placement;
  to: Placement;
  /** The zone, type or place without a machine, as moves record it. */
  why: string;
  replaces?: readonly WrittenField[];
}

export function writeFallback({ update, context, earlier }: Change, fallback: Fallback): Outcome {
  const { decided, warning, from, to, why, replaces = [] } = fallback;
  const decision = { ...decided, warnings: [...decided.warnings, warning] };
  const move = moveBetween(from, to, context.nowSeconds, { gain: null, why });
  const moves = withMove(earlier.moves, move);
  const run = earlier.run ?? "";
  return writeDecision({ ...writing(context), object: update.object, decision, moves, run, replaces });
}

/** Whether its controller gave the command, for the type or zone that the machine was decided for. */
export function isAsked({ update, context }: Change, command: SignedCommand, lacks: string): boolean {
  const machine = { command, uid: update.oldObject.metadata.uid ?? "", lacks };
  return isSignedFor(context.keys, update.wish ?? "", machine, context.nowSeconds);
}
