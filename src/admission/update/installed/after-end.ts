import { isDeepStrictEqual } from "node:util";
import { textOf } from "../../../model/json.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { overSince } from "../../../model/runs/run-of.ts";
import { note } from "../../../model/text/note-codes.ts";
import { formatTime, parseDuration, parseTime } from "../../../model/time.ts";
import { type Change, hasFailed, specOf } from "../change.ts";

type Spec = Record<string, unknown>;

export const GRACE = "the grace (15 minutes by default)";

export const secondsIn = (value: unknown): number | null => parseDuration(textOf(value));

/** A run that is over. Seconds since 1970. */
interface Over {
  ended: number;
  failed: boolean;
  /** The start of the first run on its machine, from which its limit counts; null if it is not known. */
  first: number | null;
}

/** A time at which the resources of a run that is over are deleted, and the field that says it; none for the end itself. */
interface Deletion {
  at: number;
  field: "maxLifetime" | "keepFailed" | null;
}

/** The deletion of the resources of a run that is over, by its spec and without the grace; null if they are kept. */
function deletionOf(spec: Spec, { ended, failed, first }: Over): Deletion | null {
  const { whenDone, deletionPolicy, maxLifetime, keepFailed } = spec;
  if (whenDone === "stop" || deletionPolicy === "retain") return null;
  const [limit, kept] = [secondsIn(maxLifetime), failed ? secondsIn(keepFailed) : null];
  const byLimit: Deletion | null =
    limit === null || first === null ? null : { at: first + limit, field: "maxLifetime" };
  if (whenDone !== "delete") return byLimit;
  const byEnd: Deletion = kept === null ? { at: ended, field: null } : { at: ended + kept, field: "keepFailed" };
  return byLimit !== null && byLimit.at < byEnd.at ? byLimit : byEnd;
}

/** The field that decides a deletion, as the spec has it: `maxLifetime 4h`. */
const said = ({ field }: Deletion, spec: Spec): string => (field === null ? "" : `${field} ${textOf(spec[field])}`);

/** The warning of a change with which the resources of a run that is over are deleted, or sooner than before. */
function deletionWarnings([old, next]: [Spec, Spec], over: Over, nowSeconds: number): PolicyWarning[] {
  const [before, after] = [deletionOf(old, over), deletionOf(next, over)];
  if (after === null || (before !== null && before.at <= Math.max(after.at, nowSeconds))) return [];
  const since = `its run is over since ${formatTime(over.ended)}`;
  const by = said(after, next);
  if (after.at > nowSeconds) {
    const code = after.field === "maxLifetime" ? "END_AT_LIMIT" : "END_NOW";
    return [note(code, `${since}: its resources are deleted at ${formatTime(after.at)}, after ${by}`)];
  }
  const reached = by === "" ? "" : `, and ${by} is reached`;
  return [note("END_NOW", `${since}${reached}: its resources are deleted after ${GRACE}`)];
}

/** Fields that say what becomes of the machine of a run that is over. */
const AFTER_END: readonly string[] = ["whenDone", "keepFailed", "maxLifetime", "deletionPolicy"];

/** The effect of a change on a run that is over: only what becomes of its machine can still change. */
export function afterEnd({ update, values, earlier, context }: Change): PolicyWarning[] {
  const { object, oldObject } = update;
  const old = specOf(oldObject);
  const next: Spec = { ...specOf(object), ...values };
  const since = overSince(oldObject, object);
  const fields = [...new Set([...Object.keys(old), ...Object.keys(next)])];
  const changed = fields.filter((field) => !isDeepStrictEqual(next[field], old[field]));
  if (since === null || changed.length === 0) return [];
  const began = context.owners.beganOf(oldObject);
  if (began?.isDeleting === true)
    return [note("END_OVER", `its run is over since ${since}, and its resources are being deleted: this continues`)];
  const first = began?.firstStartedAt ?? parseTime(earlier.placement.start);
  const over = { ended: parseTime(since) ?? context.nowSeconds, failed: hasFailed(oldObject), first };
  const deleted = deletionWarnings([old, next], over, context.nowSeconds);
  if (deleted.length > 0 || changed.every((field) => AFTER_END.includes(field))) return deleted;
  const message = `its run is over since ${since}: nothing is changed for it any more; to run it again, give the annotation landfall.dev/run another value`;
  return [note("END_OVER", message)];
}
