import { LandfallError } from "../../errors.ts";
import { lostKeyOf, type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { changedField, stillHolds } from "../../model/decision-annotation/still-holds.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { trusted, withoutDecision } from "../../model/decision-annotation/trusted.ts";
import { isKind } from "../../model/names.ts";
import type { Composition, CompositionContext, TrustedComposition } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";
import { unacceptedSpec } from "./accepted-spec.ts";
import { askAgain, askForSpec } from "./ask-again.ts";
import { isOfEmergency } from "./emergency.ts";
import { holdUntilStart } from "./hold-until-start.ts";
import { askIfLate } from "./late-start.ts";
import { isOwnDecision, standingFor } from "./own-decision.ts";

function faultOf(object: Resource, verified: VerifiedDecision | null): string | null {
  if (verified === null) return "it has no decision with a valid signature";
  if (stillHolds(object, verified.decision)) return null;
  const changed = changedField(object, verified.decision);
  return changed === null ? "an input changed since its decision" : `spec.${changed.field} is not the decided value`;
}

/** The decision, if it is valid for what the object asks. Throws REL_KEY_LOST and REL_UNDECIDED. */
function readValid(ring: KeyRing, object: Resource): VerifiedDecision {
  const about = { kind: object.kind, name: object.metadata.name ?? "" };
  const verified = verifyDecision(ring, object);
  const key = verified === null ? lostKeyOf(ring, object) : null;
  if (key !== null) throw new LandfallError("REL_KEY_LOST", { ...about, key });
  const detail = faultOf(object, verified);
  if (verified === null || detail !== null)
    throw new LandfallError("REL_UNDECIDED", { ...about, detail: detail ?? "" });
  return verified;
}

/** Whether admission accepted the object's spec; false if it was just asked and did. Throws REL_SPEC_CHANGED. */
async function hasAcceptedSpec(
  context: CompositionContext,
  composition: Composition,
  verified: VerifiedDecision,
): Promise<boolean> {
  const { object } = composition;
  const reason = await unacceptedSpec(context, object, verified);
  if (reason === null) return true;
  const detail = await askForSpec(context, composition, reason);
  if (detail === null) return false;
  throw new LandfallError("REL_SPEC_CHANGED", { kind: object.kind, name: object.metadata.name ?? "", detail });
}

/** Whether the object has no decision, or another one's: then it does not matter whether that one fits what it asks. */
async function lacksOwn(context: CompositionContext, ring: KeyRing, object: Resource): Promise<boolean> {
  const verified = verifyDecision(ring, object);
  return verified === null || (await standingFor(context, object, verified)) === "foreign";
}

/**
 * The valid decision; null for an object without one of its own that was created in an emergency. Throws as `readValid`, and REL_EMERGENCY.
 */
async function readDecision(
  context: CompositionContext,
  ring: KeyRing,
  object: Resource,
): Promise<VerifiedDecision | null> {
  try {
    return readValid(ring, object);
  } catch (thrown) {
    const isUndecided = thrown instanceof LandfallError && thrown.code === "REL_UNDECIDED";
    if (isUndecided && (await lacksOwn(context, ring, object)) && (await isOfEmergency(context, object))) return null;
    throw thrown;
  }
}

/** Whether an object with a decision of its own may be installed now, by its spec and its start. Throws as `assertDecided`. */
async function mayInstall(
  context: CompositionContext,
  composition: Composition,
  verified: VerifiedDecision,
): Promise<boolean> {
  if (!(await hasAcceptedSpec(context, composition, verified))) return false;
  if (await holdUntilStart(context, composition, verified)) return false;
  const late = await askIfLate(context, composition, verified);
  if (late === null || late.isAsked) return late === null;
  const { kind, metadata } = composition.object;
  throw new LandfallError("REL_UNCONFIRMED", { kind, name: metadata.name ?? "", detail: late.detail });
}

/**
 * The object, if it may be installed now; null if it was just decided again, or paused again until its start. One of an emergency comes
 * without the decision that it may name, which admission did not make. Throws REL_UNDECIDED
 * for an object that admission decides and that has no valid decision for what it asks: the webhook was not registered, or not
 * called. Throws REL_REPLAYED for one with the decision of another object outside of an emergency, REL_SPEC_CHANGED for one whose spec admission did not
 * accept, REL_UNCONFIRMED for a run that is late and denied by now, REL_KEY_LOST, and REL_EMERGENCY. Without keys, every object may be installed.
 */
export async function assertDecided(
  context: CompositionContext,
  composition: Composition,
): Promise<TrustedComposition | null> {
  const { object } = composition;
  if (context.keys === null || !isKind(object.kind)) return { ...composition, object: trusted(null, object) };
  const verified = await readDecision(context, context.keys(), object);
  if (verified === null) return { ...composition, object: withoutDecision(object) };
  if (await isOwnDecision(context, object, verified)) {
    const isReady = await mayInstall(context, composition, verified);
    return isReady ? { ...composition, object: trusted(context.keys, object) } : null;
  }
  const detail = await askAgain(context, composition, verified.signature.id);
  if (detail === null) return null;
  if (await isOfEmergency(context, object)) return { ...composition, object: withoutDecision(object) };
  throw new LandfallError("REL_REPLAYED", { kind: object.kind, name: object.metadata.name ?? "", detail });
}
