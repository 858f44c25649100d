import type { DecisionOwners } from "../model/decision-annotation/standing.ts";
import { stringOf } from "../model/json.ts";
import { ANNOTATION } from "../model/names.ts";
import { formatTime, HOUR_SECONDS, parseDuration } from "../model/time.ts";
import type { WorkloadObject } from "../model/workload.ts";
import {
  completedOf,
  creationFault,
  longRun,
  type RunFault,
  unknownCompletion,
  wrongCompletion,
  wrongRepair,
} from "./check/check-metadata.ts";
import { asksAnotherRun, isRunning, isThere } from "./update/change.ts";

/** A report of a completion that does not count; null if it does, or if there is no new one. */
function completionFault(
  object: WorkloadObject,
  oldObject: WorkloadObject,
  owners: Pick<DecisionOwners, "runOf">,
): RunFault | null {
  const [before, now] = [completedOf(oldObject), completedOf(object)];
  if (now === undefined || now === before) return null;
  const unknown = unknownCompletion(now);
  if (unknown !== null) return wrongCompletion(unknown);
  if (before !== undefined) return wrongCompletion(`says already that the run ${before}`);
  // In a planned pause, and while it waits for another spot machine, a run is not over: its work may be done all the same.
  const goesOn = isRunning(oldObject) || owners.runOf(oldObject) === "running";
  return goesOn ? null : wrongCompletion("reports the completion of a run that is not running");
}

/** Another run that is asked for while the last one is there. */
const activeRun = (object: WorkloadObject, oldObject: WorkloadObject, owners: RunFacts["owners"]): RunFault | null =>
  asksAnotherRun(object, oldObject) && isThere(oldObject, owners)
    ? { code: "ADM_RUN_ACTIVE", params: { annotation: ANNOTATION.run } }
    : null;

/** The records of runs, and the time in seconds since 1970. */
interface RunFacts {
  owners: Pick<DecisionOwners, "runOf" | "beganOf">;
  nowSeconds: number;
}

/** Another run on a machine that has to go before it would be done. A stopped machine has its limit again. */
function shortRun(
  object: WorkloadObject,
  oldObject: WorkloadObject,
  { owners, nowSeconds }: RunFacts,
): RunFault | null {
  const { duration, maxLifetime } = object.spec ?? {};
  const [seconds, limit] = [parseDuration(stringOf(duration)), parseDuration(stringOf(maxLifetime))];
  const began = owners.beganOf(oldObject);
  if (!asksAnotherRun(object, oldObject) || owners.runOf(oldObject) !== "over") return null;
  // The end of the last run stops the machine, and not that of the next one.
  if (oldObject.spec?.["whenDone"] === "stop") return null;
  if (seconds === null || limit === null || began === null) return null;
  const ends = began.firstStartedAt + limit;
  if (ends >= nowSeconds + seconds) return null;
  const needed = Math.ceil((nowSeconds + seconds - began.firstStartedAt) / HOUR_SECONDS) + 1;
  const params = { annotation: ANNOTATION.run, duration: stringOf(duration), maxLifetime: stringOf(maxLifetime) };
  return { code: "ADM_RUN_SHORT", params: { ...params, ends: formatTime(ends), needed: `${String(needed)}h` } };
}

/** A new value of `landfall.dev/run` that is too long. */
export const longRunFault = (object: WorkloadObject, oldObject: WorkloadObject | null): RunFault | null =>
  oldObject === null || asksAnotherRun(object, oldObject) ? longRun(object) : null;

/** The problem of annotations about the run that do not fit its state; null for none. */
export function runFault(
  object: WorkloadObject,
  oldObject: WorkloadObject | null,
  { owners, nowSeconds }: RunFacts,
): RunFault | null {
  if (oldObject === null) return creationFault(object);
  return (
    longRunFault(object, oldObject) ??
    wrongRepair(object, oldObject) ??
    completionFault(object, oldObject, owners) ??
    activeRun(object, oldObject, owners) ??
    shortRun(object, oldObject, { owners, nowSeconds })
  );
}
