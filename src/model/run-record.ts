import { PART_OF_LANDFALL } from "./decision-annotation/system-secrets.ts";
import { isObject } from "./json.ts";
import type { KubernetesObject } from "./kubernetes.ts";
import { shortRun } from "./run-of.ts";

/** What happens to a run that is done. */
export const WHEN_DONE = ["delete", "stop", "keep"] as const;
export type WhenDone = (typeof WHEN_DONE)[number];

/** How a run is meant to end, as admission decided it. Times in seconds. */
export interface RunPlan {
  /** What is planned. */
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
  /** What each resume takes before work continues. */
  resume?: number;
}

/** Who said that a run is over. */
export type EndedBy = "time" | "limit" | "provider" | "annotation" | "machine";
export type RunOutcome = "succeeded" | "failed" | "unknown";

/** The end of a run. `at` in seconds since 1970, by the API server's clock. */
export interface RunEnd {
  at: number;
  by: EndedBy;
  outcome: RunOutcome;
}

/** What is known of a run. Times in seconds since 1970, by the API server's clock. */
export interface RunState {
  startedAt: number;
  /** When the first of the runs on the same machine started, from which its limit counts; omitted for this one. */
  firstStartedAt?: number;
  end: RunEnd | null;
  /** When its resources were gone. */
  removedAt: number | null;
}

/** The record of an object's present run, in Landfall's own namespace, where tenants cannot write. */
export interface RunRecord extends RunState {
  uid: string;
  kind: string;
  namespace: string;
  name: string;
  /** Value of `landfall.dev/run`; empty without it. */
  run: string;
  plan: RunPlan;
  /** Whether its machine was ready once: one that is not there yet is not gone. */
  wasReady: boolean;
  /** The machine that was ready, where its operator creates another one for one that is gone. */
  machine: { uid: string; id: string } | null;
  /** What its machine reported of its completion; null for nothing. */
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

/** The metadata of the Secret that records it. */
export const runRecordMetadata = ({ version: _version, ...record }: RunRecord) => ({
  name: runRecordName(record.uid),
  labels: PART_OF_LANDFALL,
  annotations: { [RECORD]: JSON.stringify(record) },
});
