import { isDeepStrictEqual } from "node:util";
import type { Provider } from "../../model/workload.ts";
import type { Denial } from "../../model/decision.ts";
import { isObject } from "../../model/json.ts";
import { type Change, specOf } from "./change.ts";
import { denial } from "../check/denial.ts";
import { poolsOf } from "../check/read-request.ts";

/** What a managed service can change on a running cluster, according to its operator's CRDs and controllers. */
export interface ClusterAbility {
  /** Why nothing can be changed; null if changes are possible. */
  fixed: string | null;
  /** Immutable fields of a pool. */
  fixedPoolFields: readonly string[];
  /** Immutable fields of the cluster. */
  fixedFields: readonly string[];
  /** The first pool runs the service itself, so it stays first. */
  keepsFirstPool: boolean;
}

const NETWORK = ["highAvailability", "network", "zones"] as const;

const CLUSTER_CHANGES: Readonly<Record<Provider, ClusterAbility>> = {
  azure: {
    fixed: null,
    fixedPoolFields: ["diskGiB"],
    fixedFields: [...NETWORK, "endpoint"],
    keepsFirstPool: true,
  },
  aws: { fixed: null, fixedPoolFields: ["diskGiB"], fixedFields: NETWORK, keepsFirstPool: false },
  gcp: {
    fixed: null,
    fixedPoolFields: ["diskGiB", "labels"],
    fixedFields: [...NETWORK, "endpoint"],
    keepsFirstPool: false,
  },
  elemento: {
    fixed: "Elemento has no call that changes a cluster",
    fixedPoolFields: [],
    fixedFields: [],
    keepsFirstPool: false,
  },
};

type Fields = Record<string, unknown>;

const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "the default" : JSON.stringify(value);

const minor = (version: unknown): number | null => (typeof version === "string" ? Number(version.split(".")[1]) : null);

/** A managed service upgrades one minor version at a time, and never downgrades. */
function versionDenials(next: Fields, old: Fields): Denial[] {
  const [from, to] = [minor(old["kubernetesVersion"]), minor(next["kubernetesVersion"])];
  if (from === null || to === null || to === from || to === from + 1) return [];
  const where = { field: "spec.kubernetesVersion", actual: shown(next["kubernetesVersion"]) };
  const installed = shown(old["kubernetesVersion"]);
  if (to < from) return [denial("ADM_DOWNGRADE", { ...where, allowed: installed }, { installed })];
  return [denial("ADM_UPGRADE_STEP", { ...where, allowed: `1.${String(from + 1)}` }, { installed })];
}

function fieldDenials(next: Fields, old: Fields, { fixedFields }: ClusterAbility): Denial[] {
  return fixedFields
    .filter((field) => next[field] !== undefined && !isDeepStrictEqual(next[field], old[field]))
    .map((field) =>
      denial("ADM_IMMUTABLE", { field: `spec.${field}`, actual: shown(old[field]) }, { wanted: shown(next[field]) }),
    );
}

const typeOf = (spec: Fields, name: string): unknown =>
  isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"][name] : undefined;

function poolChange(pool: Fields, before: Fields, { fixedPoolFields }: ClusterAbility): string | null {
  const field = fixedPoolFields.find((name) => !isDeepStrictEqual(pool[name], before[name]));
  return field === undefined ? null : `${field} cannot change from ${shown(before[field])} to ${shown(pool[field])}`;
}

function poolDenials({ update, earlier }: Change, ability: ClusterAbility): Denial[] {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  const before = new Map(poolsOf(old).map((pool) => [String(pool["name"]), pool]));
  return poolsOf(next).flatMap((pool, index) => {
    const name = String(pool["name"]);
    const known = before.get(name);
    if (known === undefined) return [];
    const [from, to] = [typeOf(old, name), typeOf(next, name)];
    const retyped =
      to !== undefined && to !== from ? `its type cannot change from ${shown(from)} to ${shown(to)}` : null;
    const detail = poolChange(pool, known, ability) ?? retyped;
    if (detail === null) return [];
    const where = { field: `spec.nodePools[${String(index)}]` };
    return [denial("ADM_POOL_FIXED", where, { pool: name, provider: earlier.placement.provider, detail })];
  });
}

function firstPoolDenials({ update, earlier }: Change): Denial[] {
  const [next, old] = [update.object, update.oldObject].map((object) => String(poolsOf(specOf(object))[0]?.["name"]));
  if (next === old || next === undefined || old === undefined) return [];
  const { provider } = earlier.placement;
  return [denial("ADM_POOL_FIRST", { field: "spec.nodePools[0]", actual: next, allowed: old }, { provider })];
}

/** Changes of an installed cluster that its provider cannot make in place. */
export function clusterDenials(change: Change): Denial[] {
  const { update, earlier } = change;
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  const ability = CLUSTER_CHANGES[earlier.placement.provider];
  if (ability.fixed !== null) return [denial("ADM_CLUSTER_FIXED", { field: "spec" }, { detail: ability.fixed })];
  return [
    ...versionDenials(next, old),
    ...fieldDenials(next, old, ability),
    ...poolDenials(change, ability),
    ...(ability.keepsFirstPool ? firstPoolDenials(change) : []),
  ];
}
