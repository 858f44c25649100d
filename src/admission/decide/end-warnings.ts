import type { PolicyResult, PolicyWarning } from "../../model/policy.ts";
import type { ScoredPlace } from "../../placement/choose-placement.ts";
import { diskNames } from "../../model/runs/kept-disks.ts";
import { pauseWayOf } from "../../model/runs/pause-rules.ts";
import { shown } from "../check/denial.ts";
import type { DecisionRequest } from "../types.ts";

type Spec = Record<string, unknown>;

/** A run that nothing ends after its duration. */
function keptWarnings({ duration, maxLifetime }: Spec, pricePerHour: number | null): PolicyWarning[] {
  if (typeof duration !== "string") return [];
  if (typeof maxLifetime === "string") {
    const message = `it runs on after its ${duration}, and is deleted after maxLifetime ${maxLifetime}`;
    return [{ code: "END_AT_LIMIT", message }];
  }
  const cost = pricePerHour === null ? "" : `, for ${pricePerHour.toFixed(3)} USD per hour`;
  const message = `nothing ends it after its ${duration}: it runs on${cost}; write whenDone: delete to end it`;
  return [{ code: "END_KEPT", message }];
}

/** A time for failed runs where none is deleted. */
function unusedKeepFailed({ keepFailed }: Spec, whenDone: unknown): PolicyWarning[] {
  if (keepFailed === undefined || whenDone === "delete") return [];
  const message = `keepFailed ${shown(keepFailed)} has no effect: with whenDone ${shown(whenDone)} a failed run is not deleted; write whenDone: delete, or remove keepFailed`;
  return [{ code: "END_KEEP_FAILED", message }];
}

/** An end that never comes: nothing says when the work is done. */
function unusedWhenDone({ whenDone, duration, maxLifetime }: Spec): PolicyWarning[] {
  if (whenDone === undefined || whenDone === "keep" || duration !== undefined || maxLifetime !== undefined) return [];
  const message = `whenDone ${shown(whenDone)} waits for a report (landfall.dev/completed): without a duration nothing else ends the run; add duration, for example duration: 3h`;
  return [{ code: "END_UNTIMED", message }];
}

/** Disks that stay when the machine is deleted. */
function keptDisks(spec: Spec): PolicyWarning[] {
  const names = spec["deletionPolicy"] === "retain" ? [] : diskNames(spec, "retain");
  if (names.length === 0) return [];
  const message = `${names.join(", ")}: stays at the provider when the machine is deleted, and is paid for until a user deletes it there`;
  return [{ code: "DISK_KEPT", message }];
}

/** What a run loses in each of its pauses. */
function lostInPauses(spec: Spec): PolicyWarning[] {
  if (pauseWayOf(spec) !== "recreate") return [];
  const names = diskNames(spec, "retain");
  const left = names.length === 0 ? "nothing of it stays" : `only ${names.join(", ")} stays, and is paid for`;
  const message = `each pause deletes the machine with its system disk: ${left}; the next machine runs the user data again, which has to continue the work`;
  return [{ code: "PAUSE_RECREATES", message }];
}

/** What the user of a new object should know about its end, and its pauses. */
export function endWarnings(
  { object, operation, started }: DecisionRequest,
  { defaults }: PolicyResult,
  { candidate }: ScoredPlace,
): PolicyWarning[] {
  const { spec = {} } = object;
  const { whenDone = defaults.whenDone ?? "keep" } = spec;
  if (operation !== "CREATE" || started === true) return [];
  const kept = whenDone === "keep" ? keptWarnings(spec, candidate.pricePerHour) : [];
  return [
    ...kept,
    ...unusedWhenDone(spec),
    ...unusedKeepFailed(spec, whenDone),
    ...keptDisks(spec),
    ...lostInPauses(spec),
  ];
}
