import { isObject, stringOf } from "../../model/json.ts";
import { table } from "../../model/table.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { readiness } from "./readiness.ts";
import { MOST, shortened } from "./status-limits.ts";

/** An error of a pool that its operator says once, and that its status keeps. */
export interface PoolError {
  error?: string;
  /** The uid of the resource that the error is about, and its generation if a change of it ends the error. */
  errorOf?: string;
}

interface SaidOnce {
  words: RegExp;
  /** The resource, or its version, with which the error ends. */
  of: (live: Resource) => string;
}

const uidOf = ({ metadata: { uid = "" } }: Resource): string => uid;
const versionOf = (live: Resource): string => `${uidOf(live)}/${String(live.metadata.generation ?? 0)}`;

/**
 * Errors of one look of Config Connector: the next one finds no difference, and the resource is UpToDate, whatever GKE has. Of a node pool that GKE
 * made without all of its nodes (`resource_container_node_pool.go`), and of the default pool that GKE did not delete from a new cluster
 * (`resource_container_cluster.go`): no later change of the cluster deletes it.
 */
const SAID_ONCE: Readonly<Record<string, SaidOnce>> = table({
  ContainerNodePool: { words: /\bwas created in the error state\b/, of: versionOf },
  ContainerCluster: { words: /\bError (?:deleting|while waiting to delete) default node pool\b/, of: uidOf },
});

/** The same pool in the status that was written last. */
const pooled = (before: unknown, name: string): Record<string, unknown> | undefined =>
  (Array.isArray(before) ? before.filter(isObject) : []).find((pool) => pool["name"] === name);

/**
 * The error that this resource said once of the pool with this name, as long as it holds. `before`: the pools of the last status; who removes it
 * there has seen to it.
 */
export function poolError(live: Resource, name: string, before: unknown): PoolError {
  const once = SAID_ONCE[live.kind];
  if (once === undefined) return {};
  const errorOf = once.of(live);
  const { message, ready } = readiness(live);
  if (!ready && once.words.test(message)) return { error: shortened(message, MOST.reason), errorOf };
  const known = pooled(before, name);
  return known?.["errorOf"] === errorOf ? { error: stringOf(known["error"]), errorOf } : {};
}

interface Pools {
  pools: readonly (PoolError & { name: string })[];
}

/** Ready of a cluster with such pools: its operators are done, and say no more that nodes are missing or left. Null: no cluster. */
export function withPoolErrors(ready: ConditionInput, cluster: Pools | null): ConditionInput {
  const failed = (cluster?.pools ?? []).filter(({ error }) => error !== undefined);
  if (ready.status !== "True" || failed.length === 0) return ready;
  const texts = failed.map(({ name, error = "" }) => `pool ${name}: ${error}`);
  const message = `${ready.message}; look at its pools: ${texts.join("; ")}`;
  return { ...ready, reason: POOL_ERRORS, message: shortened(message, MOST.message) };
}

/** The reason of Ready of a cluster with such a pool. */
export const POOL_ERRORS = "PoolErrors";
