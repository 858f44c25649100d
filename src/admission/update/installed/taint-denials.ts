import type { Denial } from "../../../model/decision.ts";
import { poolsOf } from "../../check/read-request.ts";
import { denial } from "../../check/denial.ts";
import { type Fields, listOf, within } from "./rendered.ts";
import { textOf } from "../../../model/json.ts";

const keyOf = (taint: unknown): string => textOf(within(taint, "key"));
const effectOf = (taint: unknown): string => textOf(within(taint, "effect"));

/**
 * Taints that go while another one with their key stays or comes, such as one with another effect: the operator compares keys alone, and
 * its provider has taints by key and effect, so that it would keep the old one. `old`, `next`: the cluster's spec before and after.
 */
export function taintDenials({ old, next }: { old: Fields; next: Fields }, provider: string): Denial[] {
  const before = new Map(poolsOf(old).map((pool) => [textOf(pool["name"]), listOf(pool["taints"])]));
  return poolsOf(next).flatMap((pool, index) => {
    const [name, wanted] = [textOf(pool["name"]), listOf(pool["taints"])];
    const kept = before.get(name)?.find((taint) => {
      const sameKey = wanted.filter((one) => keyOf(one) === keyOf(taint));
      return sameKey.length > 0 && !sameKey.some((one) => effectOf(one) === effectOf(taint));
    });
    if (kept === undefined) return [];
    const params = { provider, pool: name, key: keyOf(kept), effect: effectOf(kept) };
    return [denial("ADM_POOL_TAINTS", { field: `spec.nodePools[${String(index)}].taints` }, params)];
  });
}
