import { holdReason, isPaused, startReason } from "../../../model/decision-annotation/pause.ts";
import { ANNOTATION } from "../../../model/names.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { note } from "../../../model/text/note-codes.ts";
import type { DecisionRequest } from "../../types.ts";

const WAITS = "it waits for its user";
const REMOVE = "remove the annotation to let it start";

/** The warning about a new object that waits for its user, or whose hold is without effect. `later`: its start lies ahead. */
export function heldWarnings({ object, operation, started }: DecisionRequest, later: boolean): PolicyWarning[] {
  const isDecided = object.metadata.annotations?.[ANNOTATION.decision] !== undefined;
  if (operation !== "CREATE" || started === true || isDecided || startReason(object) !== null) return [];
  const message = messageFor(object, later);
  return message === null ? [] : [note("HELD_BY_USER", message)];
}

function messageFor(object: DecisionRequest["object"], later: boolean): string | null {
  const { paused, hold } = ANNOTATION;
  if (isPaused(object)) return `${WAITS}: ${paused} holds it back; ${REMOVE}`;
  if (holdReason(object) === "") return null;
  if (later) return `${WAITS}: ${hold} holds it back after its start; ${REMOVE}`;
  return `${hold} does not hold back an object that starts now; write ${paused}: "true" as well`;
}
