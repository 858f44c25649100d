import type { Decision } from "../../model/decision.ts";
import { bisect, type CandidateChange, type Fields, place } from "./change-search.ts";
import { completeTypes, typesOf } from "./complete-types.ts";
import { hasCode } from "../check/denial.ts";
import { poolsOf } from "../check/read-request.ts";
import { isObject, textOf } from "../../model/json.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";

type PoolField = "cpu" | "memory" | "gpu";

/** A lower value of one field of a pool: the largest one that passes. */
function lessOfPool(pools: readonly Fields[], index: number, field: PoolField): CandidateChange | null {
  const pool = pools[index];
  const wanted = pool?.[field];
  const least = field === "gpu" ? 0 : 1;
  if (pool === undefined || typeof wanted !== "number" || wanted <= least) return null;
  const withValue = (value: number): Fields => ({
    nodePools: pools.map((one, at) => (at === index ? { ...one, [field]: value } : one)),
  });
  const text = (value: number): string => `${field} of pool ${textOf(pool["name"])} ≤ ${String(value)}`;
  return {
    loosest: { fields: withValue(least), text: text(least) },
    smallest: (ask) => {
      if (ask(withValue(least))?.allowed !== true) return null;
      const value = bisect(least, wanted, (middle) => ask(withValue(middle)));
      return { fields: withValue(value), text: text(value), where: "", cost: Math.log((wanted + 1) / (value + 1)) };
    },
  };
}

/** Fewer nodes of a pool, or a lower limit of them: the most that pass. */
function fewerOfPool(pools: readonly Fields[], index: number): CandidateChange | null {
  const pool = pools[index];
  const field = pool?.["max"] === undefined ? "count" : "max";
  const wanted = pool?.[field];
  const least = Math.max(1, typeof pool?.["min"] === "number" ? pool["min"] : 1);
  if (pool === undefined || typeof wanted !== "number" || wanted <= least) return null;
  const withNodes = (nodes: number): Fields => ({
    nodePools: pools.map((one, at) => (at === index ? { ...one, [field]: nodes } : one)),
  });
  const text = (nodes: number): string => `${field} of pool ${textOf(pool["name"])} ≤ ${String(nodes)}`;
  return {
    loosest: { fields: withNodes(least), text: text(least) },
    smallest: (ask) => {
      if (ask(withNodes(least))?.allowed !== true) return null;
      const nodes = bisect(least, wanted, (middle) => ask(withNodes(middle)));
      return { fields: withNodes(nodes), text: text(nodes), where: "", cost: Math.log(wanted / nodes) };
    },
  };
}

/** Almost nothing: its user asked for a pool, and the provider cannot leave it without a node. */
const FILL_COST = 0.05;

/** The nodes that the provider needs in pools that can shrink to fewer. */
export function filledPools(spec: Fields, { denials }: Decision): CandidateChange[] {
  const empty = denials.filter(({ code }) => code === "POL_POOL_EMPTY");
  if (empty.length === 0) return [];
  const least = new Map(empty.map(({ field, allowed }) => [field, allowed]));
  const filled = poolsOf(spec).map((pool, index) => {
    const nodes = least.get(`spec.nodePools[${String(index)}]`);
    const field = pool["max"] === undefined ? "count" : "min";
    return nodes === undefined ? { pool } : { pool: { ...pool, [field]: nodes }, field, nodes };
  });
  const fields: Fields = { nodePools: filled.map(({ pool }) => pool) };
  const texts = filled.flatMap(({ pool, field, nodes }) =>
    field === undefined ? [] : [`${field} ${textOf(nodes)} of pool ${textOf(pool["name"])}`],
  );
  const text = texts.join(" and ");
  const smallest: CandidateChange["smallest"] = (ask) => {
    const decision = ask(fields);
    return decision?.allowed === true ? { fields, text, where: place(decision), cost: FILL_COST } : null;
  };
  return [{ loosest: { fields, text }, smallest }];
}

/** Slightly less than dropping the field: the user wants to name the types. */
const OTHER_TYPES_COST = 0.75;

/** The types of an object that no denial is about. */
const possible = (types: Fields, { denials }: Decision): Fields =>
  Object.fromEntries(
    Object.entries(types).filter(([pool]) => !denials.some(({ field }) => field === `spec.poolInstanceTypes.${pool}`)),
  );

/** The types of all pools with those that the object names, but for the ones that cannot be had: the pools get these as they would without any. */
export function otherTypes(spec: Fields, denied: Decision): CandidateChange[] {
  const { poolInstanceTypes: given } = spec;
  if (!isObject(given) || !hasCode(denied, "POL_INSTANCE_TYPE")) return [];
  const kept = possible(given, denied);
  const change: CandidateChange = {
    loosest: null,
    smallest: (ask) => {
      const types =
        (Object.keys(kept).length === 0 ? null : completeTypes(spec, kept, ask)) ??
        typesOf(ask({ poolInstanceTypes: null }));
      if (types === undefined) return null;
      const fields = { poolInstanceTypes: types };
      const decision = ask(fields);
      const text = `poolInstanceTypes ${flow(types)}`;
      return decision?.allowed === true ? { fields, text, where: place(decision), cost: OTHER_TYPES_COST } : null;
    },
  };
  return [change];
}

/** Denials that smaller nodes can fix; a search through every pool is too expensive for others. */
const MENDED_BY_SIZE = ["PLACEMENT_NONE", "POL_FLAVOUR", "POL_GPU", "POL_INSTANCE_TYPE", "POL_QUOTA"] as const;

/** With more pools, each change of one is too small to help, and the search has no time for them all. */
const MOST_POOLS = 16;

/** Changes of the pools of a denied cluster: the largest nodes that pass, or the most of them where budgets are full. */
export function poolChanges(spec: Fields, denied: Decision): CandidateChange[] {
  const isFull = hasCode(denied, "PLACEMENT_BUDGET");
  if (!isFull && !hasCode(denied, ...MENDED_BY_SIZE)) return [];
  const pools = poolsOf(spec);
  if (pools.length > MOST_POOLS) return [];
  if (isFull) return pools.map((_pool, index) => fewerOfPool(pools, index)).filter((change) => change !== null);
  const fields: readonly PoolField[] = ["memory", "cpu", "gpu"];
  return pools
    .flatMap((_pool, index) => fields.map((field) => lessOfPool(pools, index, field)))
    .filter((change) => change !== null);
}
