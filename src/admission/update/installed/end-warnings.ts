import { isDeepStrictEqual } from "node:util";
import { textOf } from "../../../model/json.ts";
import { note } from "../../../model/text/note-codes.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { overSince, runEnded } from "../../../model/runs/run-of.ts";
import { formatTime, parseDuration, parseTime } from "../../../model/time.ts";
import { type Change, runsNow, specOf } from "../change.ts";

type Spec = Record<string, unknown>;

/** The specs of a change, before and after it, and the start of the run in seconds since 1970; null if it is not known. */
interface Run {
  old: Spec;
  next: Spec;
  start: number | null;
  /** The start of the first run on its machine, from which its limit counts. */
  first: number | null;
  now: number;
}

const GRACE = "the grace (15 minutes by default)";

const secondsIn = (value: unknown): number | null => parseDuration(textOf(value));

/** Whether the change gives the run another end that Landfall carries out. */
function plansEnd({ old, next }: Run): boolean {
  const { duration, whenDone = "keep" } = next;
  return whenDone !== "keep" && (duration !== old["duration"] || whenDone !== (old["whenDone"] ?? "keep"));
}

/** The effect of an end at the change. */
const effectOf = ({ whenDone }: Spec): string =>
  whenDone === "stop" ? "its machine is stopped" : `its resources are deleted after ${GRACE}`;

/** A run that the change ends: what is planned now is over already. The controller ends it then, with its whole grace. */
function overNow(run: Run): PolicyWarning[] {
  if (!plansEnd(run)) return [];
  const { start, now } = run;
  const { duration } = run.next;
  const seconds = secondsIn(duration);
  if (start === null || seconds === null || start + seconds > now) return [];
  const message = `its duration of ${textOf(duration)} is over already, so that the run ends now: ${effectOf(run.next)}`;
  return [note("END_NOW", message)];
}

/** A run that is longer than its limit allows from now on. */
function limitNow({ old, next, first, now }: Run): PolicyWarning[] {
  const { maxLifetime } = next;
  const seconds = secondsIn(maxLifetime);
  if (maxLifetime === old["maxLifetime"] || first === null || seconds === null || first + seconds > now) return [];
  const message = `its maxLifetime of ${textOf(maxLifetime)} is reached already, so that the run ends now: ${effectOf(next)}`;
  return [note("END_NOW", message)];
}

/** A deadline that a started run misses by its duration. Nothing moves it forward any more. */
function misses({ old, next, start }: Run): PolicyWarning[] {
  const { duration, deadline } = next;
  if (duration === old["duration"] && deadline === old["deadline"]) return [];
  const [seconds, latest] = [secondsIn(duration), parseTime(textOf(deadline))];
  if (start === null || seconds === null || latest === null || start + seconds <= latest) return [];
  const message = `the run began ${formatTime(start)} and ends ${formatTime(start + seconds)}, after its deadline ${textOf(deadline)}: write a later deadline, or a shorter duration`;
  return [note("END_LATE", message)];
}

/** Fields that say what becomes of the machine of a run that is over. */
const AFTER_END: readonly string[] = ["whenDone", "keepFailed", "maxLifetime", "deletionPolicy"];

/** The effect of a change on a run that is over: only what becomes of its machine can still change. */
function afterEnd({ update: { object, oldObject }, context: { owners } }: Change): PolicyWarning[] {
  const [old, next] = [specOf(oldObject), specOf(object)];
  const ended = overSince(oldObject, object);
  const changed = Object.keys(next).filter((field) => !isDeepStrictEqual(next[field], old[field]));
  if (ended === null || changed.length === 0) return [];
  if (owners.beganOf(oldObject)?.isDeleting === true)
    return [note("END_OVER", `its run is over since ${ended}, and its resources are being deleted: this continues`)];
  const isDeleted = next["whenDone"] === "delete" && old["whenDone"] !== "delete";
  if (isDeleted) return [note("END_NOW", `its run is over since ${ended}: its resources are deleted after ${GRACE}`)];
  if (changed.every((field) => AFTER_END.includes(field))) return [];
  const message = `its run is over since ${ended}: nothing is changed for it any more; to run it again, give the annotation landfall.dev/run another value`;
  return [note("END_OVER", message)];
}

/** Warnings of a change that moves the end of a run which has begun, or of a service that becomes one. Planned pauses have an account of their own. */
export function endWarnings(change: Change): PolicyWarning[] {
  const { update, earlier, context } = change;
  if (runEnded(update.oldObject) !== "") return afterEnd(change);
  if (!runsNow(change)) return [];
  const [old, next] = [specOf(update.oldObject), specOf(update.object)];
  const began = context.owners.beganOf(update.oldObject);
  const planned = parseTime(earlier.placement.start);
  const [start, first] = [began?.startedAt ?? planned, began?.firstStartedAt ?? planned];
  const run = { old, next, start, first, now: context.nowSeconds };
  const limited = limitNow(run);
  if (limited.length > 0) return limited;
  return earlier.placement.segments === undefined ? [...overNow(run), ...misses(run)] : [];
}
