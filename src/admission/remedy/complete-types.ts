import type { Decision } from "../../model/decision.ts";
import { textOf } from "../../model/json.ts";
import { poolsOf } from "../check/read-request.ts";
import type { Ask, Fields } from "./change-search.ts";

/** A pool with a node that runs anything: another one cannot be alone. */
function withNode({ min: _min, max: _max, taints: _taints, ...pool }: Fields): Fields {
  const { count } = pool;
  return { ...pool, count: typeof count === "number" && count > 0 ? count : 1 };
}

/**
 * The types of all pools, with these of some of them; null if no place has them all. The others get those that they would have alone at the
 * place of the first ones, or anywhere at their provider.
 */
export function completeTypes(spec: Fields, types: Fields, ask: Ask): Fields | null {
  const pools = poolsOf(spec);
  const hasType = ({ name }: Fields): boolean => types[textOf(name)] !== undefined;
  const passes = (all: Fields): boolean => ask({ poolInstanceTypes: all })?.allowed === true;
  const others = pools.filter((pool) => !hasType(pool)).map(withNode);
  if (others.length === 0) return passes(types) ? types : null;
  const own = pools.filter(hasType).map(withNode);
  for (const where of placesOf(ask({ nodePools: own, poolInstanceTypes: types }))) {
    const added = typesOf(ask({ nodePools: others, poolInstanceTypes: null, ...where }));
    const all: Fields = { ...added, ...types };
    const inOrder = Object.fromEntries(pools.map(({ name }) => [textOf(name), all[textOf(name)]]));
    if (added !== undefined && passes(inOrder)) return inOrder;
  }
  return null;
}

type Types = Readonly<Record<string, string>>;

/** The types that the pools of a decision get. */
export const typesOf = (decision: Decision | null): Types | undefined =>
  decision?.placement?.cluster?.poolInstanceTypes;

/** The place of a decision, and all of its provider. */
function placesOf(decision: Decision | null): Fields[] {
  const { provider, region } = decision?.placement ?? {};
  return provider === undefined ? [] : [{ provider, schedulingLocation: region }, { provider }];
}
