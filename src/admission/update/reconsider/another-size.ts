import { isHeldBack } from "../../../model/decision-annotation/pause.ts";
import { decideAlone } from "../../decide/decide.ts";
import { writeDecision, writing } from "../../respond/write-decision.ts";
import type { Outcome } from "../../types.ts";
import type { Change } from "../change.ts";
import { exhausted, NO_CAPACITY } from "../installed/no-machine.ts";
import { mayResize, pinsOf, requestFor, resizeOf } from "../installed/in-place.ts";
import { withParts } from "../planned-parts.ts";
import { stays } from "./reconsider.ts";
import { moveBetween, withMove } from "./worth-moving.ts";

/** Why the machine keeps its size, whatever its policies say; null if it need not. */
function fixedSize(change: Change): string | null {
  const { update, kept } = change;
  if (isHeldBack(update.oldObject)) return "it has not started";
  if (update.kind === "KaasCluster") return "the managed service replaces its nodes itself";
  if (!mayResize(change)) return resizeOf(change).detail;
  return kept.includes("instanceType") ? null : "its user fixed the type";
}

/**
 * `landfall.dev/reevaluate: another-size`: the provider has no machine of this type for a machine that is to be started again. It stays in its
 * place, and gets the cheapest other size of its series that its policies, quotas and budgets allow.
 */
export function anotherSize(change: Change): Outcome {
  const { update, context, earlier } = change;
  const fixed = fixedSize(change);
  if (fixed !== null) return stays(`its machine keeps its size: ${fixed}`);
  const { instanceType } = earlier.placement;
  const instead = [...new Set([...exhausted(earlier.moves, context.nowSeconds), instanceType])];
  const request = { ...requestFor(change, pinsOf(change, false)), instead };
  const decided = withParts(request, decideAlone(request), earlier.placement);
  const { placement } = decided;
  if (!decided.allowed || placement === null) {
    const codes = decided.denials.map(({ code }) => code).join(", ");
    return stays(`its machine keeps its size: no other one of its series is allowed there (${codes})`);
  }
  const from = instanceType;
  const text = `${placement.instanceType} instead of ${from}, of which ${placement.provider} has none there now`;
  const decision = { ...decided, warnings: [...decided.warnings, { code: "RESIZED", message: text }] };
  const move = moveBetween(placement, placement, context.nowSeconds, { gain: null, why: `${NO_CAPACITY}${from}` });
  const moves = withMove(earlier.moves, move);
  return writeDecision({ ...writing(context), object: update.object, decision, moves, run: earlier.run ?? "" });
}
