import type { RunRecord } from "../../../model/runs/run-record.ts";
import { isMadeCluster } from "../../status/cluster-paths.ts";
import { isControlPlane } from "../../status/cluster-status.ts";
import { readiness } from "../../status/readiness.ts";
import type { Resource } from "../../types.ts";
import { goneAt, type RunSign } from "../state/next-run-step.ts";
import { machineOf } from "./run-sign.ts";

/** Whether no control plane is ready or has an endpoint. Another endpoint is not another cluster: providers change it. */
const isWithout = (planes: readonly Resource[]): boolean =>
  planes.every((one) => !isMadeCluster(one) && !readiness(one).ready);

/** Whether the resource of the cluster was created again: by that, nothing is known of the one that the run had. */
const isRecreated = ({ machine }: RunRecord, planes: readonly Resource[]): boolean =>
  planes.every(({ metadata }) => metadata.uid !== machine?.uid);

/** The record with the cluster that it has by now. */
function withCluster({ goneSince: _, ...record }: RunRecord, planes: readonly Resource[]): RunRecord {
  return { ...record, machine: (isRecreated(record, planes) ? machineOf(planes) : null) ?? record.machine };
}

/**
 * The record of a run with the time since which its cluster is gone: an operator may show none for a moment. Where nothing is known
 * of the cluster, the record is returned as it is, as any other one. Pure.
 */
export function withGone(record: RunRecord, live: readonly Resource[], now: number): RunRecord {
  const planes = live.filter(isControlPlane);
  if (record.machine === null || record.end !== null || planes.length === 0) return record;
  if (!record.wasReady || !isWithout(planes) || isRecreated(record, planes)) return withCluster(record, planes);
  return record.goneSince === undefined ? { ...record, goneSince: now } : record;
}

/** The sign of a cluster that has been gone for minutes, and that is not seen now. Pure. */
export function goneSign(record: RunRecord, live: readonly Resource[], now: number): RunSign | null {
  const at = goneAt(record);
  const isSeen = live.some(isControlPlane);
  return isSeen && at !== null && at <= now ? { by: "provider", outcome: "unknown" } : null;
}
