/** The settings of a definition's rollout. */
export interface RolloutSettings {
  /** Objects that may be upgraded in a minute, and that may be on their way at the same time. */
  perMinute: number;
  /** Why no object is upgraded; empty if they are. */
  paused: string;
  /** So many failures stop it. */
  failures: number;
}

/** An object of a chart with another version. */
export interface RolloutObject {
  uid: string;
  /** Whether it has the new version, or is on its way to it. */
  isMoved: boolean;
  /** Whether its release has it: until then, `isReady` is about the version before. */
  isDone: boolean;
  isReady: boolean;
  /** Whether its release or its resources fail. */
  isFailed: boolean;
}

/** An object that was let through, by its uid. */
export interface Admitted {
  /** Seconds since 1970. */
  at: number;
  /** Whether it was ready before: only then does its state say something about the chart. */
  wasReady: boolean;
}

export type RolloutState = "Complete" | "Progressing" | "Paused" | "Stopped";

export interface RolloutPlan {
  state: RolloutState;
  moved: number;
  total: number;
  /** The uids of objects that failed after their upgrade. */
  failed: string[];
  /** The uids of those that may be upgraded now, in order. */
  next: string[];
}

/** An object that was ready and is not so for this many seconds after its upgrade has failed. */
const READY_SECONDS = 600;
const MINUTE = 60;

function hasFailed(
  { uid, isDone, isReady, isFailed }: RolloutObject,
  admitted: ReadonlyMap<string, Admitted>,
  now: number,
) {
  const known = admitted.get(uid);
  // Of one that an earlier process let through it is not known how it was before.
  if (known === undefined) return isFailed;
  return known.wasReady && !(isDone && isReady) && (isFailed || now - known.at > READY_SECONDS);
}

/** How many objects may follow: one until the first of them is ready, then as many as a minute allows. */
function room(
  objects: readonly RolloutObject[],
  admitted: ReadonlyMap<string, Admitted>,
  { perMinute }: RolloutSettings,
  now: number,
): number {
  // Of one that an earlier process let through, only what is not done yet counts.
  const isUnder = ({ uid, isMoved, isDone, isReady }: RolloutObject): boolean =>
    isMoved && !(isDone && isReady) && (admitted.get(uid)?.wasReady ?? !isDone);
  const under = objects.filter(isUnder);
  const isProven = objects.some(({ isMoved, isDone, isReady }) => isMoved && isDone && isReady);
  const recent = [...admitted.values()].filter(({ at }) => now - at < MINUTE).length;
  return Math.max(0, Math.min(perMinute - recent, (isProven ? perMinute : 1) - under.length));
}

/**
 * Which objects of a chart are upgraded to its new version now. Ready ones come first, since a failure of them tells something. Pure.
 * `now` in seconds since 1970.
 */
export function planRollout(
  objects: readonly RolloutObject[],
  admitted: ReadonlyMap<string, Admitted>,
  settings: RolloutSettings,
  now: number,
): RolloutPlan {
  const moved = objects.filter(({ isMoved }) => isMoved);
  const failed = moved.filter((object) => hasFailed(object, admitted, now)).map(({ uid }) => uid);
  const waiting = objects.filter(({ isMoved }) => !isMoved);
  const counts = { moved: moved.length, total: objects.length, failed };
  if (waiting.length === 0) return { state: "Complete", ...counts, next: [] };
  if (settings.paused !== "") return { state: "Paused", ...counts, next: [] };
  if (failed.length >= settings.failures) return { state: "Stopped", ...counts, next: [] };
  const first = waiting.toSorted((one, other) => Number(other.isReady) - Number(one.isReady));
  const next = first.slice(0, room(objects, admitted, settings, now)).map(({ uid }) => uid);
  return { state: "Progressing", ...counts, next };
}
