import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import type { WrittenField } from "../../model/workload.ts";
import { bare, type Change, specOf } from "./change.ts";
import { clusterDenials } from "./cluster-denials.ts";
import { decideAlone } from "../decide/decide.ts";
import { denial } from "../check/denial.ts";
import { moveDenials } from "./move-denials.ts";
import type { Outcome } from "../types.ts";
import { poolsOf } from "../check/read-cluster.ts";
import { denyDecision, denyInstead, writeDecision, writing } from "../respond/write-decision.ts";

type Pins = Partial<Record<WrittenField, unknown>>;

/** Pools keep their types for as long as they exist; a new pool has none yet. */
function keptTypes({ update }: Change): Record<string, unknown> {
  const old = specOf(update.oldObject)["poolInstanceTypes"];
  const names = new Set(poolsOf(specOf(update.object)).map(({ name }) => String(name)));
  return Object.fromEntries(Object.entries(isObject(old) ? old : {}).filter(([name]) => names.has(name)));
}

/** What stays of an installed cluster whatever its user left out: place, start, version, zones and the pools' types. */
function pinsOf(change: Change): Pins {
  const { provider, region, start } = change.earlier.placement;
  const [next, old] = [specOf(bare(change)), specOf(change.update.oldObject)];
  const pins: Pins = { provider, schedulingLocation: region, schedulingTime: start };
  for (const field of ["kubernetesVersion", "zones"] as const) {
    const value = next[field] ?? old[field];
    if (value !== undefined) pins[field] = value;
  }
  pins.poolInstanceTypes = next["poolInstanceTypes"] ?? keptTypes(change);
  return pins;
}

const SIZE = ["cpu", "memory", "gpu"] as const;

/** Pools whose nodes are to be larger than their type: no managed service changes the type of a pool. */
function resizeDenials({ update, earlier }: Change): Denial[] {
  const old = new Map(poolsOf(specOf(update.oldObject)).map((pool) => [pool["name"], pool]));
  return poolsOf(specOf(update.object)).flatMap((pool, index) => {
    const before = old.get(pool["name"]);
    if (before === undefined || SIZE.every((field) => Number(pool[field] ?? 0) <= Number(before[field] ?? 0)))
      return [];
    const name = String(pool["name"]);
    const type = earlier.placement.cluster?.poolInstanceTypes[name] ?? "their type";
    const params = { pool: name, provider: earlier.placement.provider, detail: `its nodes are ${type}` };
    return [denial("ADM_POOL_FIXED", { field: `spec.nodePools[${String(index)}]` }, params)];
  });
}

/** An installed cluster stays in its place; pools come and go, scale, and its version rises by one minor. */
export function redecideCluster(change: Change): Outcome {
  const { update, context } = change;
  const request = { ...context, kind: update.kind, operation: "UPDATE", started: true } as const;
  const decision = decideAlone({ ...request, object: bare(change), pins: pinsOf(change) });
  // What is no cluster at all is told first.
  const { texts } = context.policy;
  if (decision.denials.some(({ code }) => code.startsWith("ADM_"))) return denyDecision(decision, texts);
  const fixed = [...clusterDenials(change), ...moveDenials(change)];
  if (fixed.length > 0) return denyInstead(decision, fixed, texts);
  const resized = decision.allowed ? [] : resizeDenials(change);
  if (resized.length > 0) return denyInstead(decision, resized, texts);
  return writeDecision({ ...writing(context), object: update.object, decision });
}
