import { isInstalled } from "../../model/is-installed.ts";
import { isObject } from "../../model/json.ts";
import { conditionsOf } from "../../model/conditions.ts";
import { ANNOTATION } from "../../model/names.ts";
import { startReason } from "../../model/start-reason.ts";
import { parseTime } from "../../model/time.ts";
import type { Resource } from "../types.ts";
import { plannedStart } from "./planned-start.ts";

/** Reasons of the condition `Scheduled` while a person holds a composition back: before its start, and again after it. */
export const PAUSED_BY_USER = "PausedByUser";
export const PAUSED_AGAIN = "PausedAgain";

/** What the decision says of a pause, read once for each: every composition that waits is looked at every second. */
const read = new WeakMap<object, boolean | null>();

function heldIn(decision: string): boolean | null {
  try {
    const value: unknown = JSON.parse(decision);
    return isObject(value) && typeof value["held"] === "boolean" ? value["held"] : null;
  } catch {
    return null;
  }
}

/** Whether admission held it back for a later start; null where its decision does not say so, as those of earlier versions. */
export function wasHeld({ metadata: { annotations } }: Resource): boolean | null {
  const decision = annotations?.[ANNOTATION.decision];
  if (annotations === undefined || decision === undefined) return null;
  const known = read.get(annotations);
  if (known !== undefined) return known;
  const held = heldIn(decision);
  read.set(annotations, held);
  return held;
}

/** Whether its pause was lifted before for the start that it has now. */
function hasStarted(composition: Resource): boolean {
  const scheduled = conditionsOf(composition).find(({ type }) => type === "Scheduled");
  if (scheduled?.status !== "False" || scheduled.reason === PAUSED_BY_USER) return false;
  if (startReason(composition) !== null) return scheduled.reason !== "Started";
  const start = plannedStart(composition);
  const since = parseTime(scheduled.lastTransitionTime);
  return start !== null && since !== null && start <= since;
}

/**
 * Who holds back a composition that Landfall decided and nothing is installed for: Landfall until its start, or a person
 * before or after it came; null where nobody does. A pause of which nothing says whose it is is Landfall's: no start is lost.
 */
export function whoPaused(composition: Resource): "landfall" | "user" | "user-again" | null {
  const { annotations, deletionTimestamp } = composition.metadata;
  if (annotations?.[ANNOTATION.paused] !== "true" || annotations[ANNOTATION.decision] === undefined) return null;
  // A pause on what is installed is a person's, not the start's.
  if (deletionTimestamp !== undefined || isInstalled(composition)) return null;
  if (hasStarted(composition)) return "user-again";
  const byUser = (annotations[ANNOTATION.hold] ?? "") !== "" || wasHeld(composition) === false;
  return byUser ? "user" : "landfall";
}
