import { textOf } from "../../../model/json.ts";
import { namedPoolZones, poolZones, type ZonedPool } from "../../../model/places/pool-zones.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import type { ScoredPlace } from "../../../placement/choose-placement.ts";
import { warning } from "../../check/denial.ts";
import { poolLimits, poolsOf } from "../../check/read-request.ts";
import type { DecisionRequest } from "../../types.ts";

type Fields = Record<string, unknown>;

/** A pool that is to be made, and the name of its field. */
interface NewPool {
  pool: Fields;
  field: string;
  zoned: ZonedPool;
}

/** A pool that a provider with the same number of nodes in each zone cannot begin with all its nodes (charts/kaas-cluster, `poolNodes`). */
function spreadWarning({ pool, field, zoned }: NewPool): PolicyWarning[] {
  const zones = poolZones(zoned);
  if (zones === null) return [];
  const { least, most } = poolLimits(pool);
  const [fewer, even] = [Math.floor(least / zones) * zones, Math.ceil(least / zones) * zones];
  if (even <= most) return [];
  const { provider } = zoned;
  return [warning("ADM_POOL_SPREAD", { field, pool: textOf(pool["name"]), provider, least, fewer, zones, even })];
}

/** A pool that is not highly available, since one zone alone has its type. */
function singleZoneWarning({ pool, field, zoned }: NewPool): PolicyWarning[] {
  const [zone, ...others] = namedPoolZones(zoned) ?? [];
  if (zone === undefined || others.length > 0 || poolZones(zoned) === null) return [];
  const { provider, region, type } = zoned;
  if (type === null) return [];
  return [
    warning("ADM_POOL_ONE_ZONE", { field, pool: textOf(pool["name"]), place: `${provider}/${region}`, zone, type }),
  ];
}

/** Warnings about the zones of the new pools of a highly available cluster. */
export function poolZoneWarnings(
  { object, operation, started = false, installedPools }: DecisionRequest,
  { candidate }: ScoredPlace,
): PolicyWarning[] {
  const { spec = {} } = object;
  const makesPools = installedPools !== undefined || (operation === "CREATE" && !started);
  if (spec["highAvailability"] !== true || !makesPools) return [];
  const { provider, region, cluster } = candidate;
  const types = new Map(cluster?.pools.map(({ name, instanceType }) => [name, instanceType]));
  const pools = poolsOf(spec).map((pool, index): NewPool => {
    const type = types.get(textOf(pool["name"])) ?? null;
    return { pool, field: `spec.nodePools[${String(index)}]`, zoned: { provider, region, type } };
  });
  return pools
    .filter(({ pool }) => installedPools?.[textOf(pool["name"])] === undefined)
    .flatMap((pool) => [...spreadWarning(pool), ...singleZoneWarning(pool)]);
}
