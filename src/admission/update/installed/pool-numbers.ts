import type { Denial } from "../../../model/decision.ts";
import { abilitiesOf } from "../../../model/places/operations.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { poolsOf } from "../../check/read-request.ts";
import { denial } from "../../check/denial.ts";
import type { Change } from "../change.ts";
import { type Fields, type Rendered, renderedChange } from "./rendered.ts";
import { isObject, textOf } from "../../../model/json.ts";
import { note } from "../../../model/text/note-codes.ts";
import { poolZones } from "../../../model/places/pool-zones.ts";

interface Nodes {
  least: number;
  most: number;
  scales: boolean;
}

/** Nodes that are divided among zones, the same number in each. */
interface DividedNodes extends Nodes {
  zones: number;
}

/** AWS takes no maximum of 0. */
const nodesOf = ({ count }: Fields): Nodes => {
  const { least, most, scales } = count as Nodes;
  return { least, most: scales ? Math.max(1, most) : most, scales };
};

const span = ({ least, most }: Nodes): string =>
  least === most ? String(least) : `${String(least)} to ${String(most)}`;

/** A pool that was there before, as it was and as it is to be. */
interface ChangedPool<N extends Nodes> {
  name: string;
  field: string;
  was: N;
  wanted: N;
}

/** `numbersOf` gets the installed cluster: its region, the types of its pools and whether it is highly available stay. */
function changedPools<N extends Nodes>(
  { old, next }: Rendered,
  numbersOf: (pool: Fields, installed: Fields) => N,
): ChangedPool<N>[] {
  const before = new Map(poolsOf(old).map((pool) => [textOf(pool["name"]), pool]));
  return poolsOf(next).flatMap((pool, index) => {
    const name = textOf(pool["name"]);
    const known = before.get(name);
    if (known === undefined) return [];
    const field = `spec.nodePools[${String(index)}]`;
    return [{ name, field, was: numbersOf(known, old), wanted: numbersOf(pool, old) }];
  });
}

/** Limits that may exclude the number of nodes that a pool has now, where its operator sends that number and the provider refuses it. */
export function limitDenials(rendered: Rendered, provider: string): Denial[] {
  return changedPools(rendered, nodesOf).flatMap(({ name: pool, field, was, wanted }) => {
    if (!wanted.scales || (wanted.least <= was.least && wanted.most >= was.most)) return [];
    const count = Math.min(Math.max(was.least, wanted.least), wanted.most);
    return [denial("ADM_POOL_LIMITS", { field }, { provider, pool, from: span(was), to: span(wanted), count })];
  });
}

/** The zones among which GKE divides the nodes of a pool of an installed cluster. */
function zonesOf(pool: Fields, { highAvailability, schedulingLocation, poolInstanceTypes }: Fields): number {
  const type = isObject(poolInstanceTypes) ? textOf(poolInstanceTypes[textOf(pool["name"])]) : "";
  const zoned = { provider: "gcp", region: textOf(schedulingLocation), type } as const;
  return highAvailability === true ? (poolZones(zoned) ?? 1) : 1;
}

/** As the chart writes them: a pool with a count that its zones do not divide gets limits. */
function dividedNodes(pool: Fields, installed: Fields): DividedNodes {
  const [nodes, zones] = [nodesOf(pool), zonesOf(pool, installed)];
  return { ...nodes, zones, scales: nodes.scales || nodes.least % zones !== 0 };
}

/** A count in place of limits, where the pool would still scale. */
export function scalingDenials(rendered: Rendered, provider: string): Denial[] {
  return changedPools(rendered, dividedNodes).flatMap(({ name: pool, field, was, wanted }) => {
    if (wanted.scales || !was.scales) return [];
    const { least: count } = wanted;
    return [denial("ADM_POOL_SCALES", { field: `${field}.count`, actual: count }, { provider, pool, count })];
  });
}

/** `count`: at least as many nodes, the same number in each zone. */
function raised(was: Nodes, wanted: Nodes, count: string): string {
  const least = String(wanted.least);
  if (was.scales) return `for a minimum of ${least} at any time, add a pool with count: ${count}`;
  if (wanted.least === wanted.most) return `for a minimum of ${least}, write count: ${count}`;
  return `for a minimum of ${least} now, write count: ${count} first, and the limits when the cluster is Ready`;
}

/** Limits that change nothing now: a minimum above, or a maximum below the nodes that a pool may have. */
export function laterWarnings(change: Change, kept: Fields): PolicyWarning[] {
  const { provider } = change.earlier.placement;
  if (abilitiesOf("KaasCluster", provider).fields["nodePools.count"]?.limits !== "asked") return [];
  return changedPools(renderedChange(change, kept), dividedNodes).flatMap(({ name, was, wanted }) => {
    const [isRaised, isLowered] = [wanted.least > was.least, wanted.most < was.most];
    if (!wanted.scales || !(isRaised || isLowered)) return [];
    const keeps = `pool ${name} keeps its nodes for now: ${provider} adds nodes when pods wait for them, and removes those that can be emptied`;
    const how = isRaised ? `; ${raised(was, wanted, String(even(wanted)))}` : "";
    return [note("POOL_SCALES_LATER", `${keeps}${how}`)];
  });
}

/** The next count that the zones divide. */
const even = ({ least, zones }: DividedNodes): number => Math.ceil(least / zones) * zones;
