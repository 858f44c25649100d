import { startsLater, writtenReason } from "../../model/decision-annotation/pause.ts";
import { ANNOTATION } from "../../model/names.ts";
import { note } from "../../model/text/note-codes.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { Outcome, Unfinished } from "../types.ts";
import { type Change, lacksDecision, type Update } from "./change.ts";

/** The reason to start now that was written for an earlier run than the object asks for; empty for none. */
export function pastReasonOf(change: Pick<Change, "update" | "context" | "earlier">): string {
  const { pastReason: known = "" } = change.earlier;
  if (!lacksDecision(change)) return known;
  const stood = writtenReason(change.update.oldObject);
  return stood === "" ? known : stood;
}

/** The object without this reason to start now. The annotation stays as its user wrote it: what is decided does not see it. */
export function withoutReason(object: WorkloadObject, reason: string): WorkloadObject {
  if (reason === "" || writtenReason(object) !== reason) return object;
  const { [ANNOTATION.startNow]: _past, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Whether a reason that does not count is written, or was before the run that it does not count for was asked for. */
const isNews = (given: Update, change: Change, reason: string): boolean =>
  writtenReason(given.object) === reason && (lacksDecision(change) || writtenReason(given.oldObject) !== reason);

/** The outcome with the warning that a reason does not count, where it is new, or the run is. `given`: the update as its user asked for it. */
export function tellPastReason(given: Update, change: Change, outcome: Outcome | Unfinished): Outcome | Unfinished {
  const { pastReason = "", nowSeconds } = change.context;
  if (!("allowed" in outcome && outcome.allowed) || pastReason === "") return outcome;
  const { start } = outcome.decision?.placement ?? change.earlier.placement;
  if (!startsLater(start, nowSeconds) || !isNews(given, change, pastReason)) return outcome;
  const message = `${ANNOTATION.startNow} was written for an earlier run, so that this one starts ${start}; to start it now, write another reason in it`;
  const { code } = note("START_NOW_PAST", message);
  return { ...outcome, warnings: [...outcome.warnings, `${message} [${code}]`] };
}
