import { PART_OF_LANDFALL } from "../names.ts";
import { isObject } from "../json.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import { parseTime } from "../time.ts";
import type { WhenDone } from "../workload.ts";
import { shortRun } from "./run-of.ts";

/** How a run is meant to end, as admission decided it. Times in seconds. */
export interface RunPlan {
  /** The planned time. */
  duration: number | null;
  /** The hard limit, counted from the start. */
  maxLifetime: number | null;
  whenDone: WhenDone;
  /** How long a failed one is kept for a look. */
  keepFailed: number | null;
  /** From the end to the deletion. */
  grace: number;
  /** `deletionPolicy: retain`: deleting the release would leave the machine running, so nothing is deleted. */
  retains: boolean;
  /** When the machine is stopped meanwhile, in seconds since 1970: the resume begins at `to`. Omitted without pauses. */
  pauses?: { from: number; to: number }[];
  /** The time that each resume takes before work continues. */
  resume?: number;
  /** A pause deletes the machine, and a resume creates another one: `interruptible.by: recreate`. Omitted: it is stopped. */
  recreates?: true;
  /** Of a spot machine, and of a run that may pause: when its work has to be done, in seconds since 1970; omitted without a deadline. */
  deadline?: number;
}

/** Who said that a run is over. */
export type EndedBy = "time" | "limit" | "provider" | "annotation" | "machine" | "eviction";
export type RunOutcome = "succeeded" | "failed" | "unknown";

/** The end of a run. `at` in seconds since 1970, by the API server's clock. */
export interface RunEnd {
  at: number;
  by: EndedBy;
  outcome: RunOutcome;
}

/** How often a run got another one, because its provider had no machine. Runs of earlier versions got no zone. */
export interface Fallbacks {
  zones?: number;
  sizes: number;
  places: number;
}

/** The use of a machine until `at`, in hours and USD, and whether it is on since. `at`: seconds since 1970; 0 is the start of the run. */
export interface RunMeter {
  hours: number;
  /** Null if a price was not known. */
  usd: number | null;
  at: number;
  on: boolean;
}

/** The meter of a run that begins: its machine is paid for from the start. */
export const NEW_METER: RunMeter = { hours: 0, usd: 0, at: 0, on: true };

/** A run as it is known. Times in seconds since 1970, by the API server's clock. */
export interface RunState {
  startedAt: number;
  /** When the first of the runs on the same machine started, from which its limit counts; omitted for this one. */
  firstStartedAt?: number;
  end: RunEnd | null;
  /** Seconds after its start from which a machine that is not there comes late: twice the time to boot that was known then. Omitted in records of earlier versions. */
  lateAfter?: number;
  /** How often its spot machine was evicted, and whether it waits for one since the last time; omitted if it never was. */
  evictions?: { count: number; waiting: boolean };
  /** It never had a machine until now: its provider refused it, it comes late, or nothing could be installed. Omitted once it has one. */
  refused?: true;
  /** Whether its machine was ready once: one that is not there yet is not gone. */
  wasReady?: boolean;
  /** How often it got another zone, size or place, because its provider had no machine; omitted if it never did. */
  fallbacks?: Fallbacks;
  /** The use of its machine as the controller saw it; omitted in records of earlier versions, which have only their plan. */
  meter?: RunMeter;
  /** Of records of earlier versions: the use of earlier machines, which had another price. */
  before?: { hours: number; usd: number | null };
  /** Whether its machine is off since its end; omitted if it is on, or not known. */
  off?: true;
  /** The use of its machine since it is overdue, or since its end that stops it; omitted before that, and in records of earlier versions. */
  overuse?: RunMeter;
  /** Since when the cluster that it had is gone, as its operator shows it. Seconds since 1970; omitted while it is there, and for a machine. */
  goneSince?: number;
  /** Of a cluster that was made only after the end of its run: since when it is there. Seconds since 1970; omitted for any other. */
  lateSince?: number;
  /** Seconds of its planned work that do not fit before its latest end, since its machine was missing, or came late; omitted if all fits. */
  lostSeconds?: number;
  /** When a changed plan asked for a deletion that would have been due before: the grace begins then. Omitted again if it no longer asks for one. */
  graceFrom?: number;
  /** Since when its resources are being deleted: that continues, whatever is changed. */
  deletingSince?: number;
  /** When its resources were gone. */
  removedAt: number | null;
}

/** The record of an object's present run, in Landfall's own namespace, where tenants cannot write. */
export interface RunRecord extends RunState {
  uid: string;
  /** Of a restored object: the uid of the earlier one, for which its release is recorded until it is upgraded. Omitted for any other. */
  formerUid?: string;
  kind: string;
  namespace: string;
  name: string;
  /** Value of `landfall.dev/run`; empty without it. */
  run: string;
  plan: RunPlan;
  wasReady: boolean;
  /** The machine that was ready, where its operator creates another one for one that is gone. Of a cluster, the endpoint is the id. */
  machine: { uid: string; id: string } | null;
  /** The power state that a pause, or the end of one, asked for, or another run, and since when (0: its machine was seen off before); omitted once that was so for minutes. */
  asked?: { on: boolean; at: number };
  /** Seconds from its start until it was ready; omitted until then, null where that was not observed or says nothing of the provider. */
  bootSeconds?: number | null;
  /** In local mode: seconds without a time lapse, in which its machine was started again after a pause. Omitted for none. */
  unlapsed?: number;
  /** The API server's time as the controller knew it when it began the run; omitted for runs of earlier versions. */
  seenAt?: number;
  /** Whether the API server stored the record minutes before or after that, by its own clock. Not stored in the record. */
  beganAskew?: true;
  /** `metadata.generation` of its object at its start. */
  generation?: number;
  /**
   * The name of its machine in the tokens of reports, drawn by lot, so that no token of a machine that is gone is valid again. Further runs on the machine
   * keep it: a machine has the token that it was created with. Omitted in records of earlier versions, where it is the run.
   */
  reporter?: string;
  /** Its machine's report of its completion; null for none. */
  reported: { exitCode: number } | null;
  /** USD, of the decision. */
  pricePerHour: number | null;
  /** Of the decided run. */
  gramsCO2: number | null;
  /** The version of the Secret that it was read from, so that a change of an older one is a conflict. Not stored in the record. */
  version?: string;
}

const RECORD = "landfall.dev/run-record";
const PREFIX = "landfall.run.";

export const runRecordName = (uid: string): string => `${PREFIX}${uid}`;

const isTime = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isTimeOrNull = (value: unknown): boolean => value === null || isTime(value);

function isRecord(value: unknown): value is RunRecord {
  if (!isObject(value) || !isObject(value["plan"])) return false;
  const texts = ["uid", "kind", "namespace", "name", "run"].every((key) => typeof value[key] === "string");
  const { end } = value;
  const hasEnd = end === null || (isObject(end) && isTime(end["at"]));
  return texts && hasEnd && isTime(value["startedAt"]) && isTimeOrNull(value["removedAt"]);
}

/** Reads the metadata of a Secret of Landfall's namespace; null for one that records something else. */
export function readRunRecord({ metadata }: Pick<KubernetesObject, "metadata">): RunRecord | null {
  const text = metadata.annotations?.[RECORD];
  if (text === undefined || metadata.name?.startsWith(PREFIX) !== true) return null;
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) && runRecordName(record.uid) === metadata.name
      ? { ...record, run: shortRun(record.run) }
      : null;
  } catch {
    return null;
  }
}

/** Clocks that differ by more seconds are not those of the same time: answers take seconds at most. */
const SAME_SECONDS = 120;

/** Whether two clocks show the same time, in seconds since 1970. */
export const clocksAgree = (one: number, other: number): boolean => Math.abs(one - other) <= SAME_SECONDS;

/**
 * When the run of this Secret started. While that is not written back, the time of the record itself is the start: the API
 * server that stored it has to agree with the time that was known then.
 */
export function startOf(
  { startedAt, seenAt }: RunRecord,
  { metadata }: Pick<KubernetesObject, "metadata">,
): Pick<RunRecord, "startedAt" | "beganAskew"> {
  if (startedAt > 0) return { startedAt };
  const stored = parseTime(metadata.creationTimestamp ?? "") ?? 0;
  return { startedAt: stored, ...(clocksAgree(stored, seenAt ?? stored) ? {} : { beganAskew: true }) };
}

/** The metadata of the Secret that records it. */
export const runRecordMetadata = ({ version: _version, beganAskew: _beganAskew, ...record }: RunRecord) => ({
  name: runRecordName(record.uid),
  labels: PART_OF_LANDFALL,
  annotations: { [RECORD]: JSON.stringify(record) },
});
