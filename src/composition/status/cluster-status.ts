import { isObject, textOf } from "../../model/json.ts";
import { abilitiesOf } from "../../model/places/operations.ts";
import { type ClusterPaths, CLUSTERS, POOLS } from "./cluster-paths.ts";
import { type PoolError, poolError } from "./pool-errors.ts";
import { readiness } from "./readiness.ts";
import type { Resource } from "../types.ts";
import { valueAt } from "../managed/read-awaits.ts";
import { MOST, shortened } from "./status-limits.ts";
import type { Found } from "./summarise-readiness.ts";

/** The status of a managed cluster, whatever the provider. */
export interface ClusterStatus extends Said {
  /** The uid of the control plane's resource, of which the fields say something. */
  clusterUid?: string;
  pools: PoolStatus[];
}

/** Fields that an operator can omit, and that stay then as they are known. Null: what is known is of another cluster. */
interface Said {
  endpoint?: string | null;
  /** The version that runs, as the provider says it, with its patch level where it has one. Omitted while that is not known: what was known before stays. */
  version?: string | null;
  /** The state of the control plane that its provider last said. Omitted while the provider has none, and where no operator says it. */
  providerState?: string | null;
  kubeconfigSecret?: string | null;
}

interface PoolStatus extends PoolError {
  name: string;
  /** Nodes that the pool has at least. */
  desired: number;
  /**
   * Of these, the ones that the provider reports, or all once it says that the pool is ready. Omitted for a pool of GKE: its status has no number
   * of nodes, and is UpToDate also where GKE could make none.
   */
  ready?: number;
}

/** The paths of a kind of pool's name and number of nodes. */
const POOL_NAMES = ["spec.azureName", "spec.name", "spec.resourceID", "name"];
const POOL_SIZES = [
  "count",
  "minCount",
  "scalingConfig.desiredSize",
  "nodeCount",
  "autoscaling.totalMinNodeCount",
  "autoscaling.minNodeCount",
  "desiredNodes",
];

/** The control plane of a managed cluster. */
export const isControlPlane = ({ kind }: Resource): boolean => kind in CLUSTERS;

/** A pool with a resource of its own. */
export const isPool = ({ kind }: Resource): boolean => POOLS.has(kind);

function textAt(resource: Resource, paths: readonly string[]): string | undefined {
  const found = paths.map((path) => valueAt(resource, path)).find((value) => typeof value === "string");
  return typeof found === "string" ? found : undefined;
}

/** A text of at most so many characters, without spaces and what a terminal would not show; undefined for any other. */
function wordAt(resource: Resource, paths: ClusterPaths["version"], most: number): string | undefined {
  const found = typeof paths === "function" ? paths(resource) : textAt(resource, paths);
  return found !== undefined && found.length <= most && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
}

const NODE_POOL = "ContainerNodePool";
const ZONES = abilitiesOf("KaasCluster", "gcp").fields["nodePools.count"]?.zones ?? 1;

/** Zones of a GKE pool, each of which has its `nodeCount`: as many as it has groups of instances; before it has any, those that it names, or of a new one. */
function zonesOf(live: Resource): number {
  if (live.kind !== NODE_POOL) return 1;
  const lists = ["status.instanceGroupUrls", "spec.nodeLocations"].map((path) => valueAt(live, path));
  const found = lists.find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(found)) return found.length;
  return /-[a-z]$/.test(textAt(live, ["spec.location"]) ?? "") ? 1 : ZONES;
}

/** Whether the number of a pool's nodes is known from no one. */
const isUncounted = ({ kind }: Resource): boolean => kind === NODE_POOL;

function sizeOf(spec: unknown): number {
  const fields: Resource = { apiVersion: "", kind: "", metadata: { name: "" }, spec: isObject(spec) ? spec : {} };
  const found = POOL_SIZES.map((path) => valueAt(fields, `spec.${path}`)).find((value) => typeof value === "number");
  return typeof found === "number" ? found : 0;
}

function poolOf(name: string, spec: unknown, live: Resource): PoolStatus {
  const shown = shortened(name, MOST.name);
  const desired = sizeOf(spec) * (isObject(live.spec?.["autoscaling"]) ? 1 : zonesOf(live));
  if (isUncounted(live)) return { name: shown, desired };
  const reported = valueAt(live, "status.count");
  const present = typeof reported === "number" ? Math.min(reported, desired) : desired;
  return { name: shown, desired, ready: readiness(live).ready ? present : 0 };
}

/** Pools that stand in the cluster's own object: all of Elemento's, and Azure's first as long as the cluster is new. */
function innerPools(live: Resource): PoolStatus[] {
  const inner = live.spec?.["agentPoolProfiles"] ?? live.spec?.["nodePools"];
  if (!Array.isArray(inner)) return [];
  return inner
    .slice(0, MOST.pools)
    .filter(isObject)
    .map((pool) => poolOf(textOf(pool["name"]), pool, live));
}

/** The pool with which GKE makes each cluster, and which Config Connector deletes. */
const DEFAULT_POOL = "default-pool";

/** A pool of the provider that no one asked for, if its operator said that it could not delete it. */
function leftPool(live: Resource, before: unknown): PoolStatus[] {
  const left = poolError(live, DEFAULT_POOL, before);
  return left.error === undefined ? [] : [{ name: DEFAULT_POOL, desired: 0, ...left }];
}

function outerPool(live: Resource, before: unknown): PoolStatus[] {
  if (isControlPlane(live)) return leftPool(live, before);
  if (!isPool(live)) return [];
  const pool = poolOf(textAt(live, POOL_NAMES) ?? live.metadata.name ?? "", live.spec, live);
  return [{ ...pool, ...poolError(live, pool.name, before) }];
}

/** The pools of a release, each once: its own resource says more than that of the cluster. */
function poolsIn(cluster: Resource, resources: readonly Resource[], before: unknown): PoolStatus[] {
  const outer = resources.flatMap((resource) => outerPool(resource, before));
  const names = new Set(outer.map(({ name }) => name));
  return [...innerPools(cluster).filter(({ name }) => !names.has(name)), ...outer].slice(0, MOST.pools);
}

const withScheme = (endpoint: string): string => (endpoint.includes("://") ? endpoint : `https://${endpoint}`);

/** The words of the provider about its control plane, as far as it says them. */
function saidOf(cluster: Resource, paths: ClusterPaths, resources: readonly Resource[]): Said {
  const endpoint = wordAt(cluster, paths.endpoint, MOST.endpoint);
  const version = wordAt(cluster, paths.version, MOST.version);
  const state = wordAt(cluster, paths.state ?? [], MOST.version);
  const secret = resources.find(({ kind }) => kind === "Secret")?.metadata.name ?? writtenSecret(cluster);
  return {
    ...(endpoint === undefined ? {} : { endpoint: withScheme(endpoint) }),
    ...(version === undefined ? {} : { version }),
    ...(state === undefined ? {} : { providerState: state }),
    ...(secret === undefined ? {} : { kubeconfigSecret: secret }),
  };
}

const SAID = ["endpoint", "version", "providerState", "kubeconfigSecret"] as const;

/** Nulls for what the last status knows of an earlier cluster, such as that of another place. */
function forgotten(before: Record<string, unknown>, uid: string | undefined): Said {
  const known = before["clusterUid"];
  if (known === undefined || uid === undefined || known === uid) return {};
  return Object.fromEntries(SAID.filter((field) => field in before).map((field) => [field, null]));
}

/** The status of a managed cluster from the resources of its release; null for a release without one. `before`: its last status. Pure. */
export function clusterStatus(found: readonly Found[], before: Resource["status"] = {}): ClusterStatus | null {
  const resources = found.flatMap(({ live }) => (live === null ? [] : [live]));
  const cluster = resources.find(isControlPlane);
  const paths = cluster && CLUSTERS[cluster.kind];
  if (cluster === undefined || paths === undefined) return null;
  const { uid } = cluster.metadata;
  return {
    ...forgotten(before, uid),
    ...saidOf(cluster, paths, resources),
    ...(uid === undefined ? {} : { clusterUid: uid }),
    pools: poolsIn(cluster, resources, before["pools"]),
  };
}

/** The Secret that the provider's operator writes once it says that the cluster is ready. */
function writtenSecret(cluster: Resource): string | undefined {
  if (!readiness(cluster).ready) return undefined;
  const paths = [
    "spec.operatorSpec.secrets.userCredentials.name",
    "spec.operatorSpec.secrets.adminCredentials.name",
    "spec.kubeconfigSecret.name",
  ];
  return wordAt(cluster, paths, MOST.secret);
}
