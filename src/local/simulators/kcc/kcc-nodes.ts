import { isObject } from "../../../model/json.ts";
import { zonesOfType } from "../../../model/places/machine-zones.ts";
import { zonesOf as placeZones } from "../../../model/places/zones.ts";
import { askedFault } from "../asked-fault.ts";
import { textAt, valueAt } from "../fields.ts";
import { NODES } from "../pool-versions.ts";
import type { Refusal, Resource } from "../types.ts";

/** Annotation that says that a pool scales, which GKE would remember: Config Connector does not turn it off where its spec has no limits. */
export const SCALES = "simulators.landfall.dev/scales";

/** Zones of a pool in a region, unless its cluster names others. */
const ZONES = 3;

/** The zones that the pool names; null if it names none. */
function namedZones({ spec }: Resource): string[] | null {
  const named = valueAt(spec, "nodeLocations");
  return Array.isArray(named) ? named.filter((zone) => typeof zone === "string") : null;
}

const zonesOf = (resource: Resource): number =>
  /-[a-z]$/.test(textAt(resource.spec, "location") ?? "") ? 1 : (namedZones(resource)?.length ?? ZONES);

/** The zones of the nodes of a pool: GKE takes any three of a region for a cluster that names none. */
function zonesOfNodes(resource: Resource): string[] {
  const location = textAt(resource.spec, "location") ?? "";
  if (/-[a-z]$/.test(location)) return [location];
  return namedZones(resource) ?? placeZones("gcp", location)?.slice(0, ZONES) ?? [];
}

/** GKE's refusal of a machine type or its accelerator in a zone without it (keras-team/kinetic, issue 305; GoogleCloudPlatform/kubernetes-engine-samples, issue 1738). */
export function typeZoneRefusal(resource: Resource): Refusal | null {
  const type = textAt(resource.spec, "nodeConfig.machineType") ?? "";
  if (textAt(resource.status, "selfLink") !== null) return null;
  const region = (textAt(resource.spec, "location") ?? "").replace(/-[a-z]$/, "");
  const sold = zonesOfType("gcp", region, type);
  const without = zonesOfNodes(resource).find((zone) => sold?.includes(zone) === false);
  if (without === undefined) return null;
  const message = `error creating NodePool: googleapi: Error 400: Invalid machine type "${type}" in zone "${without}": GCE_NOT_FOUND., badRequest`;
  return { code: "INVALID", message, terminal: false };
}

const numberAt = ({ spec }: Resource, path: string): number => {
  const value = valueAt(spec, path);
  return typeof value === "number" ? value : 0;
};

/** Google's group of instances in each zone. */
export const instanceGroups = (resource: Resource): string[] =>
  Array.from({ length: zonesOf(resource) }, (_, index) => `${resource.metadata.name}-${String(index)}`);

const [IN_ERROR, POOL_STAYS] = ["created-in-error", "default-pool-stays"] as const;

/** The error of the look that creates a resource, where it is asked for: GKE has it from then on, and the next look finds no difference. */
function saidOnce(resource: Resource, fault: string, { message, selfLink }: Record<"message" | "selfLink", string>) {
  const isNew = textAt(resource.status, "selfLink") === null;
  if (!isNew || askedFault(resource) !== fault) return null;
  return { code: "FAILED", message, terminal: false, leaves: { selfLink } };
}

const idOf = ({ spec, metadata: { name } }: Resource): string => textAt(spec, "resourceID") ?? name;

/** The error of a pool that GKE makes without its nodes. */
export function creationRefusal(pool: Resource, selfLink: string): Refusal | null {
  const message = `NodePool ${idOf(pool)} was created in the error state "RUNNING_WITH_ERROR"`;
  return saidOnce(pool, IN_ERROR, { message, selfLink });
}

/** The error of a cluster whose default pool GKE does not delete. */
export function defaultPoolRefusal(cluster: Resource, selfLink: string): Refusal | null {
  const words = `Operation operation-1 is currently creating cluster ${idOf(cluster)}. Please wait and try again once it is done.`;
  const message = `Error deleting default node pool: googleapi: Error 400: ${words}, failedPrecondition`;
  return saidOnce(cluster, POOL_STAYS, { message, selfLink });
}

/** The nodes of a new pool in each zone. */
const firstNodes = (resource: Resource): number =>
  askedFault(resource) === IN_ERROR ? 0 : numberAt(resource, "initialNodeCount") || numberAt(resource, "nodeCount");

/**
 * The nodes that a pool has from now on. A new one has those that it is created with, and none if its spec has only limits, as users report.
 * With autoscaling, Config Connector ignores `nodeCount`; no pods wait here, so the autoscaler changes nothing.
 */
export function poolNumbers(resource: Resource): Record<string, string | null> {
  const { [NODES]: had, [SCALES]: scaled } = resource.metadata.annotations ?? {};
  const scales = scaled === "true" || resource.spec["autoscaling"] !== undefined;
  const each = had === undefined ? firstNodes(resource) : null;
  if (each !== null) return { [NODES]: String(each * zonesOf(resource)), [SCALES]: scales ? "true" : null };
  if (scales) return { [NODES]: null, [SCALES]: "true" };
  return { [NODES]: String(numberAt(resource, "nodeCount") * zonesOf(resource)), [SCALES]: null };
}

/** Labels that GKE gives to nodes, after `cloud.google.com/`. */
const OF_GKE = new Set([
  "gke-boot-disk",
  "gke-container-runtime",
  "gke-cpu-scaling-level",
  "gke-logging-variant",
  "gke-max-pods-per-node",
  "gke-memory-gb-scaling-level",
  "gke-nodepool",
  "gke-os-distribution",
  "gke-provisioning",
  "gke-stack-type",
  "machine-family",
  "private-node",
]);

/** GKE's refusal of a label that it gives itself. */
export function labelRefusal({ spec }: Resource): Refusal | null {
  const labels = valueAt(spec, "nodeConfig.labels");
  const keys = Object.keys(isObject(labels) ? labels : {});
  const [key] = keys.filter((name) => name.startsWith("cloud.google.com/") && OF_GKE.has(name.split("/")[1] ?? ""));
  if (key === undefined) return null;
  const message = `error creating NodePool: googleapi: Error 400: Node labels with key "${key}" are managed by GKE or Kubernetes and must not be manually specified., badRequest`;
  return { code: "INVALID", message, terminal: false };
}

/** The Terraform provider's refusal of two first numbers of nodes. */
export function numberRefusal(resource: Resource): Refusal | null {
  const isNew = resource.metadata.annotations?.[NODES] === undefined;
  if (!isNew || numberAt(resource, "initialNodeCount") === 0 || numberAt(resource, "nodeCount") === 0) return null;
  const message = `Cannot set both initial_node_count and node_count on node pool ${idOf(resource)}`;
  return { code: "INVALID", message, terminal: false };
}
