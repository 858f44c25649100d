import { listAt, textAt, valueAt } from "../fields.ts";
import { tooFewFor, tooFewForPods } from "../network-room.ts";
import { minorOf, NODES } from "../pool-versions.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";
import { poolNumbers } from "./kcc-nodes.ts";

/** Google Cloud keeps four addresses of each subnetwork. */
const KEPT = 4;

/** The version that a pool is to have: its own, or that of its control plane where GKE upgrades it. */
function wantedVersion({ spec }: Resource, cluster: Resource | undefined): string | null {
  const followed = valueAt(spec, "management.autoUpgrade") === true ? textAt(cluster?.status, "masterVersion") : null;
  return textAt(spec, "version") ?? followed;
}

/** The nodes that a pool has with its spec, and one more while it is upgraded (`maxSurge`). */
function nodesOf(resource: Resource, cluster: Resource | undefined): number {
  const nodes = Number(poolNumbers(resource)[NODES] ?? resource.metadata.annotations?.[NODES] ?? 0);
  const running = textAt(resource.status, "observedState.version");
  const isUpgraded = running !== null && minorOf(running) !== minorOf(wantedVersion(resource, cluster) ?? running);
  return isUpgraded && nodes > 0 ? nodes + 1 : nodes;
}

/** Compute Engine's answer to GKE about a pool without addresses for its nodes, or for their pods. Each pool is counted alone here. */
export function addressRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const { namespace } = resource.metadata;
  const find = (group: string, kind: string, name: string | null): Resource | undefined =>
    lookup({ group: `${group}.cnrm.cloud.google.com`, kind, namespace, name: name ?? "" });
  const cluster = find("container", "ContainerCluster", textAt(resource.spec, "clusterRef.name"));
  const subnet = find("compute", "ComputeSubnetwork", textAt(cluster?.spec, "subnetworkRef.name"));
  const pods = listAt(subnet?.spec, "secondaryIpRange").find(
    ({ rangeName }) => rangeName === textAt(cluster?.spec, "ipAllocationPolicy.clusterSecondaryRangeName"),
  );
  const nodes = nodesOf(resource, cluster);
  const room =
    tooFewForPods(nodes, textAt(pods, "ipCidrRange") ?? "") ??
    tooFewFor(nodes, textAt(subnet?.spec, "ipCidrRange") ?? "", KEPT);
  if (room === null) return null;
  const message = `error waiting for updating GKE NodePool: Google Compute Engine: Not all instances running in IGM. Current errors: [IP_SPACE_EXHAUSTED_WITH_DETAILS]: IP space of '${textAt(subnet?.status, "selfLink") ?? ""}' is exhausted.`;
  return { code: "INVALID", message, terminal: false };
}
