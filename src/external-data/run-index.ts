import type { ExistingWorkload } from "../model/cluster-data.ts";
import type { RunBegin, RunStanding } from "../model/decision-annotation/standing.ts";
import type { PausingTimes } from "../model/pausing-times.ts";
import { isAnotherRun } from "../model/runs/run-of.ts";

/** The run that an object asks for. */
export interface RunOf {
  uid: string;
  /** Value of `landfall.dev/run`; empty without it. */
  run: string;
}

/** A run that its controller recorded. Seconds since 1970. */
export interface RecordedRun extends RunOf {
  endedAt: number | null;
  /** When the work of a run that continues is done by its recorded start and pauses; omitted without a duration. */
  workEnds?: number;
  removedAt: number | null;
  /** Omitted if it is not known. */
  began?: RunBegin;
  /** Only of a run that may pause and is not over. */
  times?: PausingTimes;
  /** Only of a run that has no machine now, and creates one to continue. */
  lacksMachine?: true;
}

/** An object; null if it is deleted. `of` says which run of which object it is; omitted if no controller records runs. */
export interface WorkloadEvent {
  type: "workload";
  key: string;
  workload: ExistingWorkload | null;
  /** It is stored with an offer: it exists, but counts only once that is confirmed. */
  isOffer?: boolean;
  of?: RunOf;
}

/** The record of the run of the object with this key and uid; null for none. Objects of one name follow each other. */
export interface RunEvent {
  type: "run";
  key: string;
  uid: string;
  run: RecordedRun | null;
}

/** The part of objects that counts once their runs are over: nothing in budgets since their end, and nothing at all once their resources are gone. */
export interface RunIndex {
  /** The part of an object that counts from now on; null for none. */
  put(event: WorkloadEvent): ExistingWorkload | null;
  /** The same after a change of what is recorded; undefined if no object has this key. */
  apply(event: RunEvent): ExistingWorkload | null | undefined;
  /** The record of the run of the object with this uid. */
  standingOf(uid: string): RunStanding;
  /** The value of `landfall.dev/run` that the recorded run of the object with this uid has; null for none. */
  recordedRunOf(uid: string): string | null;
  /** When the run of the object with this uid works and pauses; null for one that must not pause, or is over. */
  timesOf(uid: string): PausingTimes | null;
  /** When the run of the object with this uid began; null for none. */
  beganOf(uid: string): RunBegin | null;
  /** Whether the run of the object with this uid has no machine now, and creates one to continue. */
  lacksMachine(uid: string): boolean;
  /** The events that reproduce it. */
  snapshot(): (WorkloadEvent | RunEvent)[];
}

type Known = Pick<WorkloadEvent, "isOffer"> & { workload: ExistingWorkload; of: RunOf };

/** A record counts only for the run that it is about: an object that asks for another one counts in full. */
function counted({ workload, isOffer, of }: Known, run: RecordedRun | undefined): ExistingWorkload | null {
  if (isOffer === true) return null;
  if (run === undefined || isAnotherRun(of.run, run.run)) return workload;
  if (run.removedAt !== null) return null;
  const { endedAt, workEnds } = run;
  if (endedAt !== null) return { ...workload, end: Math.min(workload.end ?? endedAt, endedAt) };
  // A late start, and a pause that lasts longer, take hours after the decided end.
  return workload.end === null || workEnds === undefined
    ? workload
    : { ...workload, end: Math.max(workload.end, workEnds) };
}

export function createRunIndex(): RunIndex {
  const known = new Map<string, Known>();
  /** By the uid of their objects. */
  const runs = new Map<string, { key: string; run: RecordedRun }>();
  const countedNow = (object: Known): ExistingWorkload | null => counted(object, runs.get(object.of.uid)?.run);
  return {
    put({ key, workload, isOffer = false, of }) {
      known.delete(key);
      if (workload === null || of === undefined) return workload;
      const object = { workload, isOffer, of };
      known.set(key, object);
      return countedNow(object);
    },
    apply({ key, uid, run }) {
      if (run === null) runs.delete(uid);
      else runs.set(uid, { key, run });
      const object = known.get(key);
      return object && countedNow(object);
    },
    standingOf(uid) {
      const run = runs.get(uid)?.run;
      if (run === undefined) return "none";
      if (run.removedAt !== null) return "gone";
      return run.endedAt === null ? "running" : "over";
    },
    recordedRunOf: (uid) => runs.get(uid)?.run.run ?? null,
    timesOf: (uid) => runs.get(uid)?.run.times ?? null,
    beganOf: (uid) => runs.get(uid)?.run.began ?? null,
    lacksMachine: (uid) => runs.get(uid)?.run.lacksMachine === true,
    snapshot: () => [
      ...[...known].map(([key, object]): WorkloadEvent => ({ type: "workload", key, ...object })),
      ...[...runs].map(([uid, { key, run }]): RunEvent => ({ type: "run", key, uid, run })),
    ],
  };
}
