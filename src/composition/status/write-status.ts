import { canonicalJson } from "../../model/json.ts";
import { formatTime } from "../../model/time.ts";
import type { ConditionInput, Resource, ServedChart } from "../types.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import { conditionsOf, mergeConditions } from "../../model/conditions.ts";
import type { Instance, InstanceContext } from "../context.ts";
import type { Release } from "../release/release.ts";

export interface StatusInput {
  conditions: ConditionInput[];
  served?: ServedChart;
  release?: Release;
  /** Only of a managed cluster. */
  cluster?: ClusterStatus | null;
}

function releaseStatus(composition: Resource, { served, release }: StatusInput): Record<string, unknown> {
  if (!served || !release) return {};
  const before = composition.status?.["digest"];
  const digest = typeof before === "string" ? before : "";
  const changed = digest !== release.digest;
  return {
    digest: release.digest,
    ...(changed ? { previousDigest: digest } : {}),
    helmChartUrl: served.url,
    helmChartVersion: served.chart.version,
    managed: release.objects.map(({ entry }) => entry),
  };
}

/** Writes the status where it differs from the one that is there. */
export async function writeStatus(context: InstanceContext, instance: Instance, input: StatusInput): Promise<void> {
  const { composition, path } = instance;
  const conditions = mergeConditions(conditionsOf(composition), input.conditions, formatTime(context.now()));
  const wanted = { ...releaseStatus(composition, input), ...input.cluster, conditions };
  const status = composition.status ?? {};
  if (canonicalJson({ ...status, ...wanted }) === canonicalJson(status)) return;
  await context.cluster.patch(`${path}/status`, "merge", { status: wanted });
}
