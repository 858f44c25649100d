import { conditionOf, textAt } from "./fields.ts";
import type { Left, Lookup, Reference, Refusal, Resource } from "./types.ts";

// A node group of EKS and its cluster, as ACK and EKS see them. docs/internals/operators.md has the sources.

const GROUP = "eks.services.k8s.aws";

/** Annotation of a Cluster with the node groups that EKS has and ACK does not know any more. Remove it for `aws eks delete-nodegroup`. */
export const LEFT = "simulators.landfall.dev/left-node-groups";

/** The message of ACK about a resource that is there without its finalizer. */
export const NOT_MANAGED = "Resource already exists";

const nameOf = ({ spec, metadata }: Resource): string => textAt(spec, "name") ?? metadata.name;

/** The conditions that ACK reads of a resource to which another one refers: `getReferencedResourceState`. */
export function isSynced(resource: Resource): boolean {
  const is = (type: string): boolean => conditionOf(resource, type)?.["status"] === "True";
  return is("ACK.ResourceSynced") && !is("ACK.Terminal");
}

/** The reference to its cluster: one that is named as at EKS is found by the names that our charts give, and not waited for. */
export function namedCluster(resource: Resource): Reference[] {
  const { kind, spec, metadata } = resource;
  if (kind !== "Nodegroup" || textAt(spec, "clusterName") === null) return [];
  const name = metadata.name.replace(new RegExp(`-${nameOf(resource)}$`), "");
  return [{ group: GROUP, kind: "Cluster", namespace: metadata.namespace, name, owner: false, loose: true }];
}

/** The resource of its cluster. */
export function clusterOf(resource: Resource, lookup: Lookup): Resource | undefined {
  const { namespace } = resource.metadata;
  const name = textAt(resource.spec, "clusterRef.from.name") ?? namedCluster(resource)[0]?.name ?? "";
  return lookup({ group: GROUP, kind: "Cluster", namespace, name });
}

const leftIn = (cluster: Resource | undefined): string[] =>
  (cluster?.metadata.annotations?.[LEFT] ?? "").split(",").filter((name) => name !== "");

/** A node group that keeps EKS from deleting the cluster, and for which there is no resource. */
export const heldByLeft = (cluster: Resource): string | null => leftIn(cluster)[0] ?? null;

/**
 * ACK asks EKS for a node group by the name of its cluster, which it reads from the cluster that is referred to. At a deletion it ignores that it could
 * not, takes the node group for gone, and lets it go.
 */
export function leftNodeGroup(resource: Resource, lookup: Lookup): Left | null {
  const cluster = clusterOf(resource, lookup);
  if (textAt(resource.spec, "clusterName") !== null || (cluster !== undefined && isSynced(cluster))) return null;
  const names = [...new Set([...leftIn(cluster), nameOf(resource)])].sort();
  return { holder: cluster ?? null, annotations: { [LEFT]: names.join(",") } };
}

/** EKS's answers about the cluster of a node group that is new, and ACK's own about one that EKS has already. */
export function newGroupRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const cluster = clusterOf(resource, lookup);
  if (leftIn(cluster).includes(nameOf(resource))) {
    return { code: "", message: NOT_MANAGED, terminal: true };
  }
  const named = textAt(resource.spec, "clusterName");
  if (named === null) return null;
  if (textAt(cluster?.status, "ackResourceMetadata.arn") === null) {
    return { code: "ResourceNotFoundException", message: `No cluster found for name: ${named}.`, terminal: false };
  }
  const isActive = conditionOf(cluster as Resource, "ACK.ResourceSynced")?.["status"] === "True";
  const message = `Cluster '${named}' is not in ACTIVE status`;
  return isActive ? null : { code: "InvalidRequestException", message, terminal: false };
}
