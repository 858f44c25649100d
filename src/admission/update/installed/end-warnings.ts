import { textOf } from "../../../model/json.ts";
import { note } from "../../../model/text/note-codes.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { runEnded } from "../../../model/runs/run-of.ts";
import { ANNOTATION } from "../../../model/names.ts";
import { formatTime, parseTime } from "../../../model/time.ts";
import { annotation, type Change, runsNow, specOf } from "../change.ts";
import { afterEnd, GRACE, secondsIn } from "./after-end.ts";

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

/** Whether the change gives the run another end that Landfall carries out. */
function plansEnd({ old, next }: Run): boolean {
  const { duration, whenDone = "keep" } = next;
  return whenDone !== "keep" && (duration !== old["duration"] || whenDone !== (old["whenDone"] ?? "keep"));
}

/** The effect of an end at the change. */
const effectOf = ({ whenDone }: Spec): string =>
  whenDone === "stop" ? "its machine is stopped" : `its resources are deleted after ${GRACE}`;

/** Seconds before an end in which a change warns of it: too few to save work, or to take the change back. */
const SOON_SECONDS = 900;

/** A field that ends the run at `at`, and when it did before the change; Infinity for never. Seconds since 1970. */
interface NewEnd {
  what: string;
  at: number;
  before: number;
}

/** A run that the change ends now, or within minutes. The controller ends it with its whole grace. */
function cut({ next, now }: Run, { what, at, before }: NewEnd): PolicyWarning[] {
  if (at <= now) return [note("END_NOW", `${what} already, so that the run ends now: ${effectOf(next)}`)];
  if (at > now + SOON_SECONDS || at >= before) return [];
  return [note("END_SOON", `${what} at ${formatTime(at)}, so that the run ends then: ${effectOf(next)}`)];
}

/** When a run with this spec is over by its duration, if Landfall carries that out; Infinity for never. */
function plannedOver({ duration, whenDone = "keep" }: Spec, start: number): number {
  return whenDone === "keep" ? Number.POSITIVE_INFINITY : start + (secondsIn(duration) ?? Number.POSITIVE_INFINITY);
}

/** A run that the change ends by its duration. */
function overSoon(run: Run): PolicyWarning[] {
  const { start, old, next } = run;
  if (!plansEnd(run) || start === null) return [];
  const what = `its duration of ${textOf(next["duration"])} is over`;
  return cut(run, { what, at: plannedOver(next, start), before: plannedOver(old, start) });
}

/** A run that the change ends by its limit. */
function limitSoon(run: Run): PolicyWarning[] {
  const { old, next, first } = run;
  const [before, after] = [secondsIn(old["maxLifetime"]), secondsIn(next["maxLifetime"])];
  if (next["maxLifetime"] === old["maxLifetime"] || first === null || after === null) return [];
  const what = `its maxLifetime of ${textOf(next["maxLifetime"])} is reached`;
  return cut(run, { what, at: first + after, before: first + (before ?? Number.POSITIVE_INFINITY) });
}

/** Whether the deadline ends a run that is not done by then: one that starts again or is resumed late is done by it, or not at all. */
const endsAtDeadline = ({ capacityType, interruptible }: Spec): boolean =>
  capacityType === "spot" || interruptible !== undefined;

/** The deadline of such a run comes before its work is done. */
function cutAt({ next, now }: Pick<Run, "next" | "now">, latest: number): PolicyWarning {
  const when =
    latest <= now
      ? "is over, so that the run ends now as failed"
      : "comes before its work is done, so that the run ends then as failed";
  const message = `its deadline ${textOf(next["deadline"])} ${when}: ${effectOf(next)}; write a later deadline`;
  return note(latest <= now ? "END_NOW" : "END_LATE", message);
}

/** A deadline that a started run misses by its duration. Nothing moves it forward any more. */
function misses({ old, next, start, now }: Run): PolicyWarning[] {
  const { duration, deadline } = next;
  if (duration === old["duration"] && deadline === old["deadline"]) return [];
  const [seconds, latest] = [secondsIn(duration), parseTime(textOf(deadline))];
  if (start === null || seconds === null || latest === null || start + seconds <= latest) return [];
  if (endsAtDeadline(next)) return [cutAt({ next, now }, latest)];
  const message = `the run began ${formatTime(start)} and ends ${formatTime(start + seconds)}, after its deadline ${textOf(deadline)}: write a later deadline, or a shorter duration`;
  return [note("END_LATE", message)];
}

/** Since when a service runs: it was perhaps held back beyond its decided start. Null if no start is known. Seconds since 1970. */
function sinceOf({ update, earlier, context }: Change): number | null {
  const planned = parseTime(earlier.placement.start);
  const started = parseTime(annotation(update.oldObject, ANNOTATION.started) ?? "");
  return planned === null || started === null ? planned : Math.max(planned, Math.min(started, context.nowSeconds));
}

/** Warnings of a change that moves the end of a run which has begun, or of a service that becomes one. Planned pauses have an account of their own. */
export function endWarnings(change: Change): PolicyWarning[] {
  const { update, earlier, context } = change;
  if (runEnded(update.oldObject) !== "") return afterEnd(change);
  if (!runsNow(change)) return [];
  const [old, next] = [specOf(update.oldObject), specOf(update.object)];
  const began = context.owners.beganOf(update.oldObject);
  const planned = sinceOf(change);
  const [start, first] = [began?.startedAt ?? planned, began?.firstStartedAt ?? planned];
  const run = { old, next, start, first, now: context.nowSeconds };
  const limited = limitSoon(run);
  if (limited.length > 0) return limited;
  // The pauses of a run make it longer than its duration, so that this is the least.
  return earlier.placement.segments === undefined ? [...overSoon(run), ...misses(run)] : misses(run);
}
