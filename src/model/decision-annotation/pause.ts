import { isObject } from "../json.ts";
import { ANNOTATION } from "../names.ts";
import { parseTime } from "../time.ts";
import type { WorkloadObject } from "../workload.ts";
import { type CompactDecision, readDecision, readHeld } from "./compact-decision.ts";

// An object waits for its start because admission sets `krateo.io/paused: "true"` on it. A user may set the same annotation.
// This file says whose a pause is, and what admission writes so that this stays known; who-paused.ts reads it back.

type Annotated = Pick<WorkloadObject, "metadata">;

const annotation = ({ metadata }: Annotated, name: string): string | undefined => metadata.annotations?.[name];

/** Value of `landfall.dev/hold` for a user's own pause, if the object waits for its start as well: one annotation alone cannot say who set it. */
export const HELD_BY_USER = "paused by its user";

export const isPaused = (object: Annotated): boolean => annotation(object, ANNOTATION.paused) === "true";

/** A user's reason to hold the object back; empty if there is none. */
export const holdReason = (object: Annotated): string => annotation(object, ANNOTATION.hold) ?? "";

/** Whether a controller has installed something for the object: Krateo's and ours list it in the status, which users cannot write. */
export const isInstalled = ({ status }: { status?: unknown }): boolean =>
  isObject(status) && Array.isArray(status["managed"]) && status["managed"].length > 0;

/** Whether a pause holds the object back from being installed. A pause of an installed object is its user's, and holds nothing back. */
export const isHeldBack = (object: WorkloadObject): boolean => isPaused(object) && !isInstalled(object);

/** Most characters of a reason that are shown. */
const REASON_LIMIT = 200;

/** The reason in `landfall.dev/start-now`, on one line, whichever run it was written for; empty without one. */
export const writtenReason = (object: Annotated): string =>
  (annotation(object, ANNOTATION.startNow) ?? "").replaceAll(/\s+/g, " ").trim().slice(0, REASON_LIMIT);

/**
 * The user's reason to start the object now; null if no one asked for that, or no reason is given. One that the decision names as past was written for
 * an earlier run.
 */
export function startReason(object: Annotated): string | null {
  const reason = writtenReason(object);
  return reason === "" || reason === readDecision(object)?.pastReason ? null : reason;
}

/** Whether Landfall holds back this object, which has the decision `earlier`. Older decisions do not say so, but start later than the object was created. */
export const isHeldByLandfall = (object: WorkloadObject, { held, placement }: CompactDecision): boolean =>
  isHeldBack(object) &&
  (held ?? (parseTime(placement.start) ?? 0) > (parseTime(object.metadata.creationTimestamp ?? "") ?? 0));

/** Whether an object that is held back waits for its decided start at `nowSeconds`. */
export const waitsForStart = (object: WorkloadObject, { placement }: CompactDecision, nowSeconds: number): boolean =>
  isHeldBack(object) && startsLater(placement.start, nowSeconds);

/** Whether this start (RFC 3339) lies ahead at `nowSeconds`. */
export const startsLater = (start: string, nowSeconds: number): boolean => (parseTime(start) ?? 0) > nowSeconds;

/** Whether the pause is missing that admission set until a start which lies ahead at `nowSeconds`. Older decisions do not say whether there was one. */
export const lacksPause = (object: Annotated, { held, placement }: CompactDecision, nowSeconds: number): boolean =>
  held === true && startsLater(placement.start, nowSeconds) && !isPaused(object);

export interface Pause {
  /** Whether the pause is Landfall's from now on, so that a controller may resume the object. */
  held: boolean;
  /** Null removes the annotation. */
  annotations: Record<string, string | null>;
}

/** Whether a pause on the object is Landfall's. Decisions of earlier versions do not say so; then it is, so that no start is lost. */
function isOurs(object: Annotated, heldBack: boolean | undefined): boolean {
  const decision = annotation(object, ANNOTATION.decision);
  return readDecision(object)?.held !== false && (heldBack ?? decision !== undefined);
}

/** A pause until the start. A user's own pause gets its own annotation next to it. */
function pauseUntilStart(object: Annotated, ours: boolean): Pause {
  const byUser = isPaused(object) && !ours && holdReason(object) === "" ? { [ANNOTATION.hold]: HELD_BY_USER } : {};
  return { held: true, annotations: { [ANNOTATION.paused]: "true", ...byUser } };
}

/**
 * The annotations that admission writes about the pause of an object that starts later, or now. It never removes what its user holds back.
 * `heldBack`: Landfall holds the object back because of an earlier decision; omitted if nothing is known of it.
 */
export function pauseFor(object: Annotated, later: boolean, heldBack?: boolean): Pause {
  const ours = isOurs(object, heldBack);
  if (later) return pauseUntilStart(object, ours);
  if (!ours) return { held: false, annotations: {} };
  if (heldBack === true && holdReason(object) === "")
    return { held: false, annotations: { [ANNOTATION.paused]: null } };
  // A reason to start now ends every hold.
  return { held: isPaused(object), annotations: startReason(object) === null ? {} : { [ANNOTATION.hold]: null } };
}

/**
 * The annotations that give `object` back the pause of a decision whose start lies ahead. A user who removes `krateo.io/paused` means their
 * own pause, so that only Landfall's comes back.
 */
export function restoredPause(object: Annotated): Record<string, string | null> {
  const resumed = !isPaused(object) && annotation(object, ANNOTATION.hold) === HELD_BY_USER;
  return { [ANNOTATION.paused]: "true", ...(resumed ? { [ANNOTATION.hold]: null } : {}) };
}

/** A pause, read once for each version of an object: every object that waits is looked at every second. */
const known = new WeakMap<object, boolean | null>();

/** Whether admission paused the object until its start; null if its decision does not say so (earlier versions). */
export function wasHeld(object: Annotated): boolean | null {
  const { annotations } = object.metadata;
  if (annotations?.[ANNOTATION.decision] === undefined) return null;
  let held = known.get(annotations);
  if (held === undefined) {
    held = readHeld(object);
    known.set(annotations, held);
  }
  return held;
}
