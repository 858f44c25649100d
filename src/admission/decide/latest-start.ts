import { parseTime } from "../../model/time.ts";
import type { PolicyResult } from "../../model/policy.ts";
import type { WorkloadRequest } from "../../model/workload.ts";
import type { DecisionRequest } from "../types.ts";
import { longestBoot } from "./within-boot.ts";

/** When the object was created: now for a new one, whatever its manifest says. In seconds since 1970. */
export function createdAt({ object, operation, nowSeconds }: DecisionRequest): number {
  const created = operation === "CREATE" ? null : parseTime(object.metadata.creationTimestamp ?? "");
  return Math.min(created ?? nowSeconds, nowSeconds);
}

/**
 * The latest start by the limits of waiting (the object's, its namespace's, the platform's), in seconds since 1970; undefined if
 * they do not limit it. Only the object's own limit lets an object without a deadline wait.
 */
export function waitsUntil(
  request: DecisionRequest,
  { deadline, maxWaitSeconds: own }: WorkloadRequest,
  { schedule }: Pick<PolicyResult, "schedule">,
): number | undefined {
  const seconds = schedule.maxWaitSeconds ?? null;
  if (seconds === null || (deadline === null && own === null)) return undefined;
  return createdAt(request) + seconds;
}

/** The latest start by deadline, time to boot and limits of waiting, in seconds since 1970; null if the object cannot wait. */
export function latestStart(
  request: DecisionRequest,
  workload: WorkloadRequest,
  result: Pick<PolicyResult, "schedule" | "candidates">,
): number | null {
  const { deadline, durationSeconds } = workload;
  const limit = waitsUntil(request, workload, result);
  if (durationSeconds === null || (deadline === null && limit === undefined)) return null;
  const boot = longestBoot(request, workload, result.candidates);
  const byDeadline = deadline === null ? Number.POSITIVE_INFINITY : deadline - durationSeconds - boot;
  return Math.min(byDeadline, limit ?? Number.POSITIVE_INFINITY);
}
