import type { KeyObject } from "node:crypto";
import { LandfallError } from "../../errors.ts";
import { verifiedDecision } from "../../model/decision-annotation/signature.ts";
import { changedField, stillHolds } from "../../model/decision-annotation/still-holds.ts";
import { isKind } from "../../model/names.ts";
import type { Resource } from "../types.ts";

function faultOf(key: KeyObject, object: Resource): string | null {
  const decision = verifiedDecision(key, object);
  if (decision === null) return "it has no decision with a valid signature";
  if (stillHolds(object, decision)) return null;
  const changed = changedField(object, decision);
  return changed === null ? "an input changed since its decision" : `spec.${changed.field} is not the decided value`;
}

/**
 * Throws REL_UNDECIDED for an object that admission decides and that has no valid decision for what it asks: the webhook was
 * not registered, or not called. Without a key, every object may be installed.
 */
export function assertDecided(key: KeyObject | null, object: Resource): void {
  if (key === null || !isKind(object.kind)) return;
  const detail = faultOf(key, object);
  const { kind, metadata } = object;
  if (detail !== null) throw new LandfallError("REL_UNDECIDED", { kind, name: metadata.name ?? "", detail });
}
