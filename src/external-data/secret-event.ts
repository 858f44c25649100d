import { readBinding, readReleaseMark } from "../model/decision-annotation/system-secrets.ts";
import type { Resource } from "../model/kubernetes.ts";
import { readBootRecord } from "../model/runs/boot-record.ts";
import { readRetained } from "../model/runs/retained.ts";
import { readRunRecord, type RunRecord, startOf } from "../model/runs/run-record.ts";
import { lacksMachine, pausingTimes, workEnd } from "../model/runs/run-times.ts";
import { type ClusterEvent, retainedEvent, workloadKey } from "./cluster-data.ts";
import type { DecisionEvent } from "./decision-index.ts";

/** The event about decisions in a Secret of Landfall's namespace; null for another one. */
export function decisionEventOf(secret: Resource, isGone: boolean): DecisionEvent | null {
  const { name: record = "" } = secret.metadata;
  const binding = readBinding(secret);
  if (binding !== null) return { type: "binding", ...binding, uid: isGone ? null : binding.uid };
  const installed = readReleaseMark(secret);
  if (installed === null) return null;
  return { type: "release", record, installed: isGone ? null : installed };
}

function runEvent(record: RunRecord, isGone: boolean): ClusterEvent {
  const { kind, namespace, name, uid, run, end, removedAt, startedAt, firstStartedAt = startedAt } = record;
  const isDeleting = record.deletingSince !== undefined && removedAt === null;
  const times = pausingTimes(record, startedAt);
  const workEnds = workEnd(record.plan, startedAt);
  const known = { ...(workEnds === null ? {} : { workEnds }), ...(times === null ? {} : { times }) };
  const recorded = {
    ...{
      uid,
      run,
      endedAt: end?.at ?? null,
      removedAt,
      began: { startedAt, firstStartedAt, ...(isDeleting ? { isDeleting } : {}) },
    },
    ...known,
    ...(lacksMachine(record) ? { lacksMachine: true as const } : {}),
  };
  return { type: "run", key: workloadKey(kind, namespace, name), uid, run: isGone ? null : recorded };
}

/** The event in a Secret of Landfall's namespace, by its metadata; null for another one. */
export function secretEvent(secret: Resource, isGone: boolean): ClusterEvent | null {
  const run = readRunRecord(secret);
  if (run !== null) return runEvent({ ...run, ...startOf(run, secret) }, isGone);
  const boots = readBootRecord(secret);
  if (boots !== null) return { type: "boots", observed: isGone ? {} : boots };
  const retained = readRetained(secret);
  return retained === null ? decisionEventOf(secret, isGone) : retainedEvent(retained, isGone);
}
