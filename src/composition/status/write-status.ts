import { below } from "../../cluster/api-path.ts";
import { during } from "../../cluster/tracing/during.ts";
import { canonicalJson, isObject } from "../../model/json.ts";
import { formatTime } from "../../model/time.ts";
import type { ConditionInput, Resource, ServedChart } from "../types.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import { conditionsOf, mergeConditions } from "../../model/kubernetes.ts";
import { plannedStatus } from "./planned-status.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";

export interface StatusInput {
  conditions: ConditionInput[];
  served?: ServedChart;
  release?: Release;
  /** Only of a managed cluster. */
  cluster?: ClusterStatus | null;
  /** Further fields; null removes one. */
  fields?: Record<string, unknown>;
}

/** A merge patch without the nulls that remove nothing. */
function withoutIdle(before: unknown, wanted: Record<string, unknown>): Record<string, unknown> {
  const known = isObject(before) ? before : {};
  const entries = Object.entries(wanted).filter(([key, value]) => value !== null || key in known);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isObject(value) ? withoutIdle(known[key], value) : value]),
  );
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
export async function writeStatus(
  context: CompositionContext,
  composition: Composition,
  input: StatusInput,
): Promise<void> {
  const { object, path } = composition;
  const conditions = mergeConditions(conditionsOf(object), input.conditions, formatTime(context.nowSeconds()));
  const status = object.status ?? {};
  const fields = withoutIdle(status, input.fields ?? {});
  const planned = plannedStatus(object, input.fields);
  const wanted = { ...releaseStatus(object, input), ...input.cluster, ...planned, ...fields, conditions };
  if (canonicalJson({ ...status, ...wanted }) === canonicalJson(status)) return;
  await during("status", () => context.client.patch(below(path, "status"), "merge", { status: wanted }));
}
