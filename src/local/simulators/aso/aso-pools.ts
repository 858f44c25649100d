import { isObject } from "../../../model/json.ts";
import { askedFault } from "../asked-fault.ts";
import { conditionOf, listAt, textAt } from "../fields.ts";
import { addressRefusal } from "./aso-addresses.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";

// AKS's answers to the agent pools of a cluster. docs/internals/operators.md has the sources.

type Fields = Record<string, unknown>;

/** The pools in a cluster's spec or status; those of another resource are itself. */
function poolsIn(fields: Fields | undefined, { kind }: Resource): Fields[] {
  if (fields === undefined) return [];
  if (kind !== CLUSTER) return [fields];
  return listAt(fields, "agentPoolProfiles");
}

const CLUSTER = "ManagedCluster";

/** The cluster of a pool. */
const ownerOf = ({ spec, metadata: { namespace } }: Resource, lookup: Lookup): Resource | undefined =>
  lookup({ group: "containerservice.azure.com", kind: CLUSTER, namespace, name: textAt(spec, "owner.name") ?? "" });

const named = (pools: readonly Fields[], name: unknown): Fields | undefined =>
  pools.find((pool) => pool["name"] === name);

/**
 * The state of a pool before: the first of its name in the cluster, that of its own resource, or, where that is new, of the pool with which its
 * cluster was made.
 */
function before(resource: Resource, pool: Fields, lookup: Lookup): Fields | undefined {
  const { kind, metadata, spec, status } = resource;
  if (kind === CLUSTER) return named(poolsIn(status, resource), pool["name"]);
  if (status?.["count"] !== undefined) return status;
  const owner = ownerOf(resource, lookup);
  return owner && named(poolsIn(owner.status, owner), spec["azureName"] ?? metadata.name);
}

const isScaled = (pool: Fields | undefined): boolean => pool?.["enableAutoScaling"] === true;

const refused = (message: string): Refusal => ({ code: "InvalidParameter", message, terminal: true });

/** The fewest and the most nodes: the limits of a pool that scales, and one at least in a system pool. */
function limitsOf(pool: Fields): [least: number, most: number] {
  const fewest = pool["mode"] === "System" ? 1 : 0;
  if (!isScaled(pool)) return [fewest, 1_000];
  return [Math.max(fewest, Number(pool["minCount"] ?? 0)), Number(pool["maxCount"] ?? 0)];
}

/**
 * AKS takes a pool without a number of nodes only if it scales the pool already: not a new one, nor one that had a fixed number. And it
 * takes no number outside of the limits.
 */
function countRefusal(resource: Resource, pool: Fields, lookup: Lookup): Refusal | null {
  const { count } = pool;
  if (typeof count !== "number") {
    const has = isScaled(pool) && isScaled(before(resource, pool, lookup));
    return has ? null : refused("Required parameter properties.count is missing (null).");
  }
  const [least, most] = limitsOf(pool);
  if (count >= least && count <= most) return null;
  const [lowest, highest] = [String(least), String(most)];
  return refused(
    `agentPoolProfile.count was ${String(count)}. It must be greater or equal to minCount:${lowest} and less than or equal to maxCount:${highest}.`,
  );
}

/** The state of a pool at AKS: a number of nodes that the request lacks is the one before. */
function shown(resource: Resource, pool: Fields, lookup: Lookup): Fields {
  const count = pool["count"] ?? before(resource, pool, lookup)?.["count"];
  return { count, enableAutoScaling: pool["enableAutoScaling"] ?? false };
}

/** The pools in the status of a cluster: those that a request does not name stay. */
export function profileStatus(resource: Resource, lookup: Lookup): Fields[] {
  const pools = poolsIn(resource.spec, resource);
  const others = poolsIn(resource.status, resource).filter(({ name }) => named(pools, name) === undefined);
  const version = (pool: Fields): unknown =>
    pool["orchestratorVersion"] ??
    before(resource, pool, lookup)?.["orchestratorVersion"] ??
    resource.spec["kubernetesVersion"];
  const own = pools.map((pool) => ({
    ...pool,
    ...shown(resource, pool, lookup),
    orchestratorVersion: version(pool),
  }));
  return [...own, ...others];
}

/** Azure's code of a cluster that it accepts and cannot finish. */
const UNFINISHED = "AllocationFailed";

/**
 * The failure of a new cluster after Azure has accepted it, where it is asked for. The operator sees the cluster that is there by then when it tries again
 * (`managed_cluster_extensions.go`, `PreReconcileCheck`).
 */
export function laterFailure(cluster: Resource, lookup: Lookup, seen: Fields): Refusal | null {
  if (askedFault(cluster) !== "fails-later") return null;
  const isAgain = conditionOf(cluster, "Ready")?.["reason"] === UNFINISHED;
  const there = { ...seen, provisioningState: "Failed", agentPoolProfiles: profileStatus(cluster, lookup) };
  const message = "Allocation failed. We do not have sufficient capacity for the requested VM size in this zone.";
  return { code: UNFINISHED, message, terminal: false, ...(isAgain ? { leaves: there } : {}) };
}

/** The numbers in the status of a pool. */
export const poolStatus = (resource: Resource, lookup: Lookup): Fields => shown(resource, resource.spec, lookup);

/** Azure/AKS, issue 2578. */
const TAINTS =
  "Placing custom taints on system pool is not supported(except 'CriticalAddonsOnly' taint or taint effect is 'PreferNoSchedule'). " +
  "Please refer to https://aka.ms/aks/system-taints for detail";

const isRestricted = (taint: string): boolean =>
  !taint.startsWith("CriticalAddonsOnly") && !taint.endsWith(":PreferNoSchedule");

const taintsOf = ({ nodeTaints }: Fields): string[] =>
  Array.isArray(nodeTaints) ? nodeTaints.filter((taint) => typeof taint === "string") : [];

/** AKS's own services run on the pools of the mode System: it refuses taints that keep them away. */
function taintRefusal(pool: Fields): Refusal | null {
  if (pool["mode"] !== "System" || !taintsOf(pool).some(isRestricted)) return null;
  return { code: "SystemPoolHasRestrictedTaint", message: TAINTS, terminal: true };
}

const OF_AKS = "kubernetes.azure.com/";

/** AKS keeps these labels and taints for itself. Its words are assumed. */
function reservedRefusal(pool: Fields): Refusal | null {
  const labels = Object.keys(isObject(pool["nodeLabels"]) ? pool["nodeLabels"] : {});
  const found =
    labels.find((key) => key.startsWith(OF_AKS) || key === "agentpool") ??
    taintsOf(pool).find((taint) => taint.startsWith(OF_AKS));
  return found === undefined ? null : refused(`${found} is reserved for use by AKS.`);
}

/** Sizes of one vCPU, and the tiny ones of the B-series, which have 1 GiB. */
const TOO_SMALL = /^Standard_[A-Z]{1,4}1[a-z]|^Standard_B\d{1,2}a?ts/;

/** AKS takes nodes of two vCPUs and 4 GiB in its system pools, and of 2 GiB in others. */
function sizeRefusal(pool: Fields): Refusal | null {
  const size = textAt(pool, "vmSize") ?? "";
  if (!TOO_SMALL.test(size)) return null;
  const message = `The VM SKU chosen for this cluster \`${size}\` does not have enough CPU/memory to run as an AKS node. Please see https://aka.ms/aks/restricted-skus for more details.`;
  return { code: "BadRequest", message, terminal: true };
}

/** The refusal of a cluster's pools, or of a pool; null if AKS takes them. */
export function poolRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const cluster = resource.kind === CLUSTER ? resource : ownerOf(resource, lookup);
  const refusals = poolsIn(resource.spec, resource).map(
    (pool) =>
      sizeRefusal(pool) ??
      taintRefusal(pool) ??
      reservedRefusal(pool) ??
      countRefusal(resource, pool, lookup) ??
      addressRefusal(resource, pool, cluster, lookup),
  );
  return refusals.find((refusal) => refusal !== null) ?? null;
}
