import { conditionsOf, type Resource } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import { holdReason, isHeldBack, startReason, wasHeld } from "./pause.ts";
import { parseTime } from "../time.ts";
import { plannedStart } from "./planned-start.ts";

/** Reasons of the condition `Scheduled` while a person holds a composition back: before its start, and again after it. */
export const PAUSE_REASON = { byUser: "PausedByUser", again: "PausedAgain" } as const;

/** Whether the composition was resumed before for its present start. */
function hasStarted(composition: Resource): boolean {
  const scheduled = conditionsOf(composition).find(({ type }) => type === "Scheduled");
  if (scheduled?.status !== "False" || scheduled.reason === PAUSE_REASON.byUser) return false;
  if (startReason(composition) !== null) return scheduled.reason !== "Started";
  const start = plannedStart(composition);
  const since = parseTime(scheduled.lastTransitionTime);
  return start !== null && since !== null && start <= since;
}

/**
 * Who holds back a composition that Landfall decided and nothing is installed for: Landfall until its start, or a user
 * before or after it; null if no one does. A pause without a known owner counts as Landfall's, so that no start is
 * lost.
 */
export function whoPaused(composition: Resource): "landfall" | "user" | "user-again" | null {
  const { annotations, deletionTimestamp } = composition.metadata;
  if (annotations?.[ANNOTATION.decision] === undefined || deletionTimestamp !== undefined) return null;
  if (!isHeldBack(composition)) return null;
  if (hasStarted(composition)) return "user-again";
  const byUser = holdReason(composition) !== "" || wasHeld(composition) === false;
  return byUser ? "user" : "landfall";
}
