import { MINUTE_SECONDS } from "../../model/time.ts";
import type { Admitted, FailedUpgrade, RolloutProgress } from "../record/open-rollouts.ts";

/** The settings of a definition's rollout. */
export interface RolloutSettings {
  /** Objects that may be upgraded in a minute, and that may be on their way at the same time. */
  perMinute: number;
  /** Why no object is upgraded; empty if they are. */
  paused: string;
  /** So many failures stop it. */
  failures: number;
}

/** An object of a chart. */
export interface RolloutObject {
  uid: string;
  namespace: string;
  name: string;
  /** Whether its release has the new version, by its record: until then, `isReady` is about the version before. */
  isDone: boolean;
  isReady: boolean;
  /** Whether its release or its resources fail. */
  isFailed: boolean;
  /** Whether its user paused it, so that it is not upgraded. */
  isPaused: boolean;
}

export type RolloutState = "Complete" | "Progressing" | "Paused" | "Stopped";

export interface RolloutPlan {
  state: RolloutState;
  moved: number;
  total: number;
  /** The objects that failed after their upgrade. */
  failed: FailedUpgrade[];
  /** The uids of those that may be upgraded now, in order. */
  next: string[];
}

/** The facts behind a plan. */
export interface PlanInput {
  objects: readonly RolloutObject[];
  /** As `followed` returns it. */
  progress: RolloutProgress;
  settings: RolloutSettings;
  /** Whether there are objects of which it is not known yet what is installed for them. */
  isPartial: boolean;
  /** Seconds since 1970. */
  now: number;
}

/** An object that was ready and is not so for this many seconds after its upgrade has failed. */
const READY_SECONDS = 600;

const isWell = ({ isDone, isReady }: RolloutObject): boolean => isDone && isReady;

/** One that never was ready, or that was not let through, says nothing about the chart: its owner may have made it fail. */
function hasFailed(object: RolloutObject, known: Admitted | undefined, now: number): boolean {
  if (known?.wasReady !== true || isWell(object)) return false;
  return object.isFailed || (!object.isPaused && now - known.at > READY_SECONDS);
}

/** Whether the upgrade of an object that was let through is still of interest. One that was not ready before says nothing afterwards. */
const isOpen = (object: RolloutObject, { wasReady }: Admitted): boolean =>
  wasReady ? !isWell(object) : !object.isDone;

/** Whether it takes the place of another: one that was not ready before does not if it fails, or has had its time. */
const takesPlace = (object: RolloutObject, known: Admitted, now: number): boolean =>
  isOpen(object, known) && (known.wasReady || (!object.isFailed && now - known.at <= READY_SECONDS));

/**
 * The progress by what the objects show now. A failure stays until its object is ready with the new version: not if it is paused or deleted.
 * Pure. `now` in seconds since 1970.
 */
export function followed(
  objects: readonly RolloutObject[],
  { admitted, failed, isProven }: RolloutProgress,
  now: number,
): RolloutProgress {
  const known = new Map(objects.map((object) => [object.uid, object]));
  const failing = new Map([...failed].filter(([uid]) => !isWell(known.get(uid) ?? NEVER)));
  for (const object of objects) {
    const { uid, namespace, name } = object;
    if (hasFailed(object, admitted.get(uid), now)) failing.set(uid, { namespace, name });
  }
  const kept = [...admitted].filter(([uid, one]) => {
    const object = known.get(uid);
    return now - one.at < MINUTE_SECONDS || (object !== undefined && isOpen(object, one));
  });
  const proves = objects.some((object) => admitted.has(object.uid) && isWell(object));
  return { admitted: new Map(kept), failed: failing, isProven: isProven || proves };
}

const NEVER: RolloutObject = {
  ...{ uid: "", namespace: "", name: "", isDone: false, isReady: false, isFailed: false, isPaused: true },
};

/** How many objects may follow: one until the first of them is ready, then as many as a minute allows. */
function room({ objects, progress: { admitted, failed, isProven }, settings: { perMinute }, now }: PlanInput): number {
  const isUnder = (object: RolloutObject): boolean => {
    const known = admitted.get(object.uid);
    return known !== undefined && !object.isPaused && !failed.has(object.uid) && takesPlace(object, known, now);
  };
  const under = objects.filter(isUnder);
  const recent = [...admitted.values()].filter(({ at }) => now - at < MINUTE_SECONDS).length;
  return Math.max(0, Math.min(perMinute - recent, (isProven ? perMinute : 1) - under.length));
}

/** How many failures count. No namespace counts for more than its share of what stops a rollout, unless there are too few of them. */
function counted({ objects, progress: { failed }, settings: { failures } }: PlanInput): number {
  const namespaces = new Map<string, number>(objects.map(({ namespace }) => [namespace, 0]));
  for (const { namespace } of failed.values()) namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + 1);
  const share = Math.ceil(failures / Math.max(1, namespaces.size));
  return [...namespaces.values()].reduce((sum, count) => sum + Math.min(count, share), 0);
}

/** Which objects of a chart are upgraded to its new version now. Ready ones come first, since a failure of them tells something. Pure. */
export function planRollout(input: PlanInput): RolloutPlan {
  const { objects, progress, settings, isPartial } = input;
  const waiting = objects.filter(({ uid, isDone, isPaused }) => !isDone && !isPaused && !progress.admitted.has(uid));
  const taking = objects.filter(({ isDone, isPaused }) => isDone || !isPaused);
  const counts = {
    ...{ moved: taking.length - waiting.length, total: taking.length },
    failed: [...progress.failed.values()],
  };
  if (waiting.length === 0 && !isPartial) return { state: "Complete", ...counts, next: [] };
  if (settings.paused !== "") return { state: "Paused", ...counts, next: [] };
  if (counted(input) >= settings.failures) return { state: "Stopped", ...counts, next: [] };
  const first = waiting.toSorted((one, other) => Number(other.isReady) - Number(one.isReady));
  const next = first.slice(0, room(input)).map(({ uid }) => uid);
  return { state: "Progressing", ...counts, next };
}
