import { isObject } from "../../../model/json.ts";
import { textAt, valueAt } from "../fields.ts";
import { NODES } from "../pool-versions.ts";
import type { Refusal, Resource } from "../types.ts";

/** Annotation that says that a pool scales, which GKE would remember: Config Connector does not turn it off where its spec has no limits. */
export const SCALES = "simulators.landfall.dev/scales";

/** Zones of a pool in a region, unless its cluster names others. */
const ZONES = 3;

const zonesOf = ({ spec }: Resource): number => (/-[a-z]$/.test(textAt(spec, "location") ?? "") ? 1 : ZONES);

const numberAt = ({ spec }: Resource, path: string): number => {
  const value = valueAt(spec, path);
  return typeof value === "number" ? value : 0;
};

/** Google's group of instances in each zone. */
export const instanceGroups = (resource: Resource): string[] =>
  Array.from({ length: zonesOf(resource) }, (_, index) => `${resource.metadata.name}-${String(index)}`);

/**
 * The nodes that a pool has from now on. A new one has those that it is created with, and none if its spec has only limits, as users report.
 * With autoscaling, Config Connector ignores `nodeCount`; no pods wait here, so the autoscaler changes nothing.
 */
export function poolNumbers(resource: Resource): Record<string, string | null> {
  const { [NODES]: had, [SCALES]: scaled } = resource.metadata.annotations ?? {};
  const scales = scaled === "true" || resource.spec["autoscaling"] !== undefined;
  const each = had === undefined ? numberAt(resource, "initialNodeCount") || numberAt(resource, "nodeCount") : null;
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
  const message = `Cannot set both initial_node_count and node_count on node pool ${textAt(resource.spec, "resourceID") ?? resource.metadata.name}`;
  return { code: "INVALID", message, terminal: false };
}
