import { isDeepStrictEqual } from "node:util";
import { isInstalled } from "../../model/decision-annotation/pause.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import { standingOf } from "../../model/decision-annotation/standing.ts";
import { parseTime } from "../../model/time.ts";
import { placeName } from "../../model/workload.ts";
import type { AdmissionContext } from "../types.ts";
import { type Change, lacksDecision, specOf, type Update } from "./change.ts";
import { pastReasonOf, withoutReason } from "./past-reason.ts";

/**
 * Whose decision the object has. Where a controller recorded a release of the object, or lists one in the status, an unbound one
 * is its own: controllers of others bind nothing.
 */
function judge(
  { oldObject }: Update,
  { owners }: AdmissionContext,
  earlier: VerifiedDecision,
): Pick<Change, "standing" | "isOwn"> {
  const standing = standingOf(earlier, oldObject.metadata, owners.ownerOf(earlier.signature.id));
  if (standing === "own" || owners.isInstalled(oldObject, placeName(earlier.decision.placement)))
    return { standing: "own", isOwn: true };
  return { standing: standing === "unbound" && isInstalled(oldObject) ? "own" : standing, isOwn: false };
}

/** The update and its context as a decision sees them: without a reason to start now that was written for an earlier run. */
function withoutPast(
  update: Update,
  context: AdmissionContext,
  pastReason: string,
): Pick<Change, "update" | "context"> {
  const { object, oldObject } = update;
  const seen = { object: withoutReason(object, pastReason), oldObject: withoutReason(oldObject, pastReason) };
  return { update: { ...update, ...seen }, context: { ...context, pastReason } };
}

/** When the run of an object was asked for: now, if the update does, otherwise as its decision says. Undefined for the creation of the object. */
function askedAtOf(asked: Pick<Change, "update" | "context" | "earlier">): number | undefined {
  if (lacksDecision(asked)) return asked.context.nowSeconds;
  return parseTime(asked.earlier.askedAt ?? "") ?? undefined;
}

/** An update of an object with this decision. */
export function readChange(given: Update, known: AdmissionContext, verified: VerifiedDecision): Change {
  const earlier = verified.decision;
  const judged = judge(given, known, verified);
  const asked = { update: given, context: known, earlier };
  const pastReason = judged.standing === "foreign" ? "" : pastReasonOf(asked);
  const askedAt = judged.standing === "foreign" ? undefined : askedAtOf(asked);
  const { update, context } = withoutPast(given, { ...known, askedAt }, pastReason);
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  const kept = earlier.written.filter(
    (field) => next[field] === undefined || isDeepStrictEqual(next[field], old[field]),
  );
  const values = Object.fromEntries(kept.flatMap((field) => (old[field] === undefined ? [] : [[field, old[field]]])));
  return { update, context, earlier, verified, ...judged, kept, values };
}
