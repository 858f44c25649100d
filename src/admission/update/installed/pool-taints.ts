import type { Denial } from "../../../model/decision.ts";
import { abilitiesOf } from "../../../model/places/operations.ts";
import type { PolicyWarning } from "../../../model/policy.ts";
import { poolsOf } from "../../check/read-request.ts";
import { denial } from "../../check/denial.ts";
import type { Change } from "../change.ts";
import { type Fields, listOf, renderedChange, within } from "./rendered.ts";
import { textOf } from "../../../model/json.ts";
import { note } from "../../../model/text/note-codes.ts";

const keyOf = (taint: unknown): string => textOf(within(taint, "key"));
const effectOf = (taint: unknown): string => textOf(within(taint, "effect"));

/** The taints of each pool, by its name. */
const taintsOf = (spec: Fields): Map<string, unknown[]> =>
  new Map(poolsOf(spec).map((pool) => [textOf(pool["name"]), listOf(pool["taints"])]));

/**
 * Taints that go while another one with their key stays or comes, such as one with another effect: the operator compares keys alone, and
 * its provider has taints by key and effect, so that it would keep the old one. `old`, `next`: the cluster's spec before and after.
 */
export function taintDenials({ old, next }: { old: Fields; next: Fields }, provider: string): Denial[] {
  const before = taintsOf(old);
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

/** Taints that go, where earlier versions of the operator leave them at the provider. */
export function taintWarnings(change: Change, kept: Fields): PolicyWarning[] {
  const { provider } = change.earlier.placement;
  const since = abilitiesOf("KaasCluster", provider).fields["nodePools.taints"]?.removesSince;
  if (since === undefined) return [];
  const { old, next } = renderedChange(change, kept);
  const before = taintsOf(old);
  return [...taintsOf(next)].flatMap(([pool, wanted]) => {
    const gone = (before.get(pool) ?? []).filter((taint) => !wanted.some((one) => keyOf(one) === keyOf(taint)));
    if (gone.length === 0) return [];
    const named = gone.map(keyOf).join(" and ");
    const message = `pool ${pool} keeps ${named} if the operator of ${provider} is older than ${since}, which says that it is removed: update it, or remove the taint at ${provider}`;
    return [note("POOL_TAINT_KEPT", message)];
  });
}
