import { isObject, stringOf } from "../../model/json.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { readiness } from "./readiness.ts";
import { MOST, shortened } from "./status-limits.ts";

/** An error of a pool that its operator says once, and that its status keeps. */
export interface PoolError {
  error?: string;
  /** The uid and generation of the resource that the error is about. */
  errorOf?: string;
}

/**
 * Config Connector's provider of a node pool that GKE made without all of its nodes (`resource_container_node_pool.go`). It is the error of one
 * look: the next one finds no difference, and the resource is UpToDate, whatever the pool has.
 */
const IN_ERROR = /\bwas created in the error state\b/;

const versionOf = ({ metadata: { uid = "", generation = 0 } }: Resource): string => `${uid}/${String(generation)}`;

/** The same pool in the status that was written last. */
const pooled = (before: unknown, name: string): Record<string, unknown> | undefined =>
  (Array.isArray(before) ? before.filter(isObject) : []).find((pool) => pool["name"] === name);

/** The error with which a pool was made, as long as its resource is the same and did not change. `before`: the pools of the last status. */
export function poolError(live: Resource, name: string, before: unknown): PoolError {
  const errorOf = versionOf(live);
  const { message, ready } = readiness(live);
  if (!ready && IN_ERROR.test(message)) return { error: shortened(message, MOST.reason), errorOf };
  const known = pooled(before, name);
  return known?.["errorOf"] === errorOf ? { error: stringOf(known["error"]), errorOf } : {};
}

interface Pools {
  pools: readonly (PoolError & { name: string })[];
}

/** Ready of a cluster with such pools: its operators are done, and say no more that nodes are missing. Null: no cluster. */
export function withPoolErrors(ready: ConditionInput, cluster: Pools | null): ConditionInput {
  const failed = (cluster?.pools ?? []).filter(({ error }) => error !== undefined);
  if (ready.status !== "True" || failed.length === 0) return ready;
  const texts = failed.map(({ name, error = "" }) => `pool ${name}: ${error}`);
  const message = `${ready.message}; nodes may be missing: ${texts.join("; ")}`;
  return { ...ready, reason: POOL_ERRORS, message: shortened(message, MOST.message) };
}

/** The reason of Ready of a cluster with such a pool. */
export const POOL_ERRORS = "PoolErrors";
