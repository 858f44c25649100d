import { textOf } from "../../model/json.ts";
import { table } from "../../model/table.ts";
import { poolLimits, poolsOf } from "./read-request.ts";

type Fields = Record<string, unknown>;

/** Zones that the cluster has if its object names none (policies/bundle/landfall/clusters/data.yaml). */
const ZONES = { usual: 2, highlyAvailable: 3 };

/** The number of zones that EKS divides the nodes among. */
export function zonesOf({ zones, highAvailability }: Fields): number {
  if (Array.isArray(zones) && zones.length > 0) return zones.length;
  return highAvailability === true ? ZONES.highlyAvailable : ZONES.usual;
}

/**
 * Nodes that a pool gets for its upgrade, until the old ones are gone. A network without room for them can never be upgraded, since it cannot
 * change. A provider that is still open counts as the one that adds most outside of AWS.
 *
 * - AKS: `maxSurge` is 10 %, rounded up (MicrosoftDocs/SupportArticles-docs, pull request 2101; Azure/AKS, issues 1053 and 1795).
 * - GKE: `maxSurge` is 1 (cloud.google.com: node pool upgrade strategies).
 * - EKS: up to two in each zone (https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html).
 * - Elemento changes no cluster.
 */
const ADDED: Readonly<Record<string, (nodes: number, zones: number) => number>> = table({
  azure: (nodes) => Math.ceil(nodes / 10),
  gcp: () => 1,
  aws: (_nodes, zones) => 2 * zones,
  elemento: () => 0,
});

/** The nodes of all pools at their largest, and those that their upgrades add. */
export function nodesOf(spec: Fields): { most: number; added: number } {
  const { provider = "azure" } = spec;
  const addedTo = (nodes: number): number => (nodes === 0 ? 0 : (ADDED[textOf(provider)]?.(nodes, zonesOf(spec)) ?? 0));
  const pools = poolsOf(spec).map((pool) => poolLimits(pool).most);
  return {
    most: pools.reduce((sum, nodes) => sum + nodes, 0),
    added: pools.reduce((sum, nodes) => sum + addedTo(nodes), 0),
  };
}
