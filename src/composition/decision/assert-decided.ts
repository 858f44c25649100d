import { LandfallError } from "../../errors.ts";
import { type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { changedField, stillHolds } from "../../model/decision-annotation/still-holds.ts";
import { isKind } from "../../model/names.ts";
import type { Composition, CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import { askAgain } from "./ask-again.ts";
import { isOwnDecision } from "./own-decision.ts";

function faultOf(object: Resource, verified: VerifiedDecision | null): string | null {
  if (verified === null) return "it has no decision with a valid signature";
  if (stillHolds(object, verified.decision)) return null;
  const changed = changedField(object, verified.decision);
  return changed === null ? "an input changed since its decision" : `spec.${changed.field} is not the decided value`;
}

/**
 * Whether the object may be installed now; false if it was just decided again. Throws REL_UNDECIDED for an object that admission
 * decides and that has no valid decision for what it asks: the webhook was not registered, or not called. Throws REL_REPLAYED for
 * one with the decision of another object. Without keys, every object may be installed.
 */
export async function assertDecided(context: CompositionContext, composition: Composition): Promise<boolean> {
  const { object } = composition;
  const { kind, metadata } = object;
  if (context.keys === null || !isKind(kind)) return true;
  const about = { kind, name: metadata.name ?? "" };
  const verified = verifyDecision(context.keys, object);
  const detail = faultOf(object, verified);
  if (verified === null || detail !== null)
    throw new LandfallError("REL_UNDECIDED", { ...about, detail: detail ?? "" });
  if (await isOwnDecision(context, object, verified)) return true;
  const left = await askAgain(context, composition, verified.seal.id);
  if (left !== null) throw new LandfallError("REL_REPLAYED", { ...about, detail: left });
  return false;
}
