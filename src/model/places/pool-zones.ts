import type { Provider } from "../workload.ts";
import { zonesOfType } from "./machine-zones.ts";
import { abilitiesOf } from "./operations.ts";

/** Whose pool it is, and the type of its nodes; null for a type that is not known. */
export interface ZonedPool {
  provider: Provider;
  region: string;
  type: string | null;
}

/** The zones of a highly available pool that not all zones of its region could have, by their names; null if they all could, or if none is known to. */
export function namedPoolZones({ provider, region, type }: ZonedPool): string[] | null {
  const found = type === null ? null : zonesOfType(provider, region, type);
  return found === null || found.length === 0 ? null : found;
}

/**
 * How many zones a highly available pool has, with the same number of nodes in each: those that have its type, or as many as a cluster has
 * that names none. The chart counts as this does (`kaas.gcp.zones` in charts/kaas-cluster). Null where a provider does not divide nodes so.
 */
export function poolZones(pool: ZonedPool): number | null {
  const usual = abilitiesOf("KaasCluster", pool.provider).fields["nodePools.count"]?.zones;
  return usual === undefined ? null : (namedPoolZones(pool)?.length ?? usual);
}
