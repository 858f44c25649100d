import { isDeepStrictEqual } from "node:util";
import type { Denial } from "../../../model/decision.ts";
import { isObject, textOf } from "../../../model/json.ts";
import { type Abilities, abilitiesOf, replacedFields } from "../../../model/places/operations.ts";
import { type Change, specOf } from "../change.ts";
import { denial } from "../../check/denial.ts";
import { poolsOf } from "../../check/read-request.ts";
import { openingsOf, remedyUnrun } from "./cluster-facts.ts";
import { type Fields, listOf, type Rendered, renderedChange } from "./rendered.ts";
import { limitDenials, scalingDenials } from "./pool-numbers.ts";
import { taintDenials } from "./pool-taints.ts";
import { versionDenials } from "./version-denials.ts";
import { ANNOTATION } from "../../../model/names.ts";

const nameOf = (pool: Fields | undefined): string => textOf(pool?.["name"]);

const content = ({ name: _name, ...others }: Fields): Fields => others;

/** `old=new, …` */
const announced = (value: string | undefined): string[] =>
  (value ?? "").split(",").map((pair) => pair.replaceAll(/\s/g, ""));

/**
 * Pools whose name changes: a provider knows pools by their names, so it deletes all nodes and makes others. A pool that is added
 * while another is removed counts as renamed if it has the same content or stands in the same position.
 */
function renamedPools({ update }: Change): Denial[] {
  const [next, old] = [poolsOf(specOf(update.object)), poolsOf(specOf(update.oldObject))];
  const [names, before] = [next.map(nameOf), old.map(nameOf)];
  const allowed = announced(update.object.metadata.annotations?.[ANNOTATION.renamePool]);
  return next.flatMap((pool, index) => {
    const to = nameOf(pool);
    if (before.includes(to)) return [];
    const gone = old.filter((other) => !names.includes(nameOf(other)));
    const from =
      gone.find((other) => isDeepStrictEqual(content(other), content(pool))) ??
      gone.find((other) => other === old[index]);
    if (from === undefined || allowed.includes(`${nameOf(from)}=${to}`)) return [];
    const where = { field: `spec.nodePools[${String(index)}].name`, actual: to, allowed: nameOf(from) };
    return [denial("ADM_POOL_RENAMED", where, { from: nameOf(from), to, annotation: ANNOTATION.renamePool })];
  });
}

/** Fields that have denials of their own. */
const WITH_OWN_RULES: readonly string[] = ["poolInstanceTypes", "kubernetesVersion"];

/** Immutable fields of the cluster, and of a pool. */
function fixedFields(ability: Abilities): { ofCluster: string[]; ofPool: string[] } {
  const fields = replacedFields(ability).filter((field) => !WITH_OWN_RULES.includes(field));
  const [prefix, isOfPool] = ["nodePools.", (field: string): boolean => field.startsWith("nodePools.")];
  return {
    ofCluster: fields.filter((field) => !isOfPool(field)),
    ofPool: fields.filter(isOfPool).map((field) => field.slice(prefix.length)),
  };
}

const shown = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "the default" : JSON.stringify(value);

const differs = ({ old, next }: Rendered, field: string): boolean => !isDeepStrictEqual(old[field], next[field]);

/** The subnets of an EKS cluster have addresses by their place in the list: a zone that stays keeps its place. */
const keepsPlaces = ({ old, next }: Rendered): boolean => {
  const [before, after] = [listOf(old["zones"]), listOf(next["zones"])];
  return after.every((zone, index) => !before.includes(zone) || before[index] === zone);
};

/** Whether the zones are those of a cluster that was never made, and can be corrected. */
const mayChangeZones = ({ update, earlier }: Change, rendered: Rendered): boolean => {
  const { provider } = earlier.placement;
  return openingsOf(update.oldObject, provider).zones && (provider !== "aws" || keepsPlaces(rendered));
};

function fieldDenials(change: Change, rendered: Rendered, ability: Abilities): Denial[] {
  const { old, next } = rendered;
  return fixedFields(ability)
    .ofCluster.filter((field) => differs(rendered, field) && !(field === "zones" && mayChangeZones(change, rendered)))
    .map((field) =>
      denial("ADM_IMMUTABLE", { field: `spec.${field}`, actual: shown(old[field]) }, { wanted: shown(next[field]) }),
    );
}

/** For fields that nothing can change: whether the change reaches the provider at all. */
function fixedDenials(rendered: Rendered, ability: Abilities): Denial[] {
  const fields = new Set(replacedFields(ability).map((field) => field.split(".")[0] ?? field));
  if (![...fields].some((field) => differs(rendered, field))) return [];
  return [denial("ADM_CLUSTER_FIXED", { field: "spec" }, { detail: ability.fixed ?? "" })];
}

const typeOf = (spec: Fields, name: string): unknown =>
  isObject(spec["poolInstanceTypes"]) ? spec["poolInstanceTypes"][name] : undefined;

function poolChange(pool: Fields, before: Fields, ability: Abilities): string | null {
  const field = fixedFields(ability).ofPool.find((name) => !isDeepStrictEqual(pool[name], before[name]));
  return field === undefined ? null : `${field} cannot change from ${shown(before[field])} to ${shown(pool[field])}`;
}

/** A denial about a cluster that never ran: nothing has to be moved. */
const withRemedy = (remedy: string | null, found: Denial): Denial => (remedy === null ? found : { ...found, remedy });

function poolDenials({ update, earlier }: Change, { old, next }: Rendered, ability: Abilities): Denial[] {
  const { provider } = earlier.placement;
  const remedy = remedyUnrun(update.oldObject);
  const { poolTypes: mayRetype } = openingsOf(update.oldObject, provider);
  const before = new Map(poolsOf(old).map((pool) => [textOf(pool["name"]), pool]));
  return poolsOf(next).flatMap((pool, index) => {
    const name = textOf(pool["name"]);
    const known = before.get(name);
    if (known === undefined) return [];
    const [from, to] = [typeOf(old, name), typeOf(next, name)];
    const retyped =
      to !== undefined && to !== from && !mayRetype
        ? `its type cannot change from ${shown(from)} to ${shown(to)}`
        : null;
    const detail = poolChange(pool, known, ability) ?? retyped;
    if (detail === null) return [];
    const where = { field: `spec.nodePools[${String(index)}]` };
    return [withRemedy(remedy, denial("ADM_POOL_FIXED", where, { pool: name, provider, detail }))];
  });
}

function firstPoolDenials({ update, earlier }: Change): Denial[] {
  const [next, old] = [update.object, update.oldObject].map((object) => textOf(poolsOf(specOf(object))[0]?.["name"]));
  if (next === old || next === undefined || old === undefined) return [];
  const { provider } = earlier.placement;
  return [denial("ADM_POOL_FIRST", { field: "spec.nodePools[0]", actual: next, allowed: old }, { provider })];
}

/** Changes of an installed cluster that its provider cannot make in place. `kept`: what admission writes where the user's spec has nothing. */
export function clusterDenials(change: Change, kept: Fields): Denial[] {
  const { provider } = change.earlier.placement;
  const ability = abilitiesOf("KaasCluster", provider);
  const rendered = renderedChange(change, kept);
  if (ability.fixed !== undefined) return fixedDenials(rendered, ability);
  const limits = ability.fields["nodePools.count"]?.limits;
  return [
    ...versionDenials(change),
    ...fieldDenials(change, rendered, ability),
    ...poolDenials(change, rendered, ability),
    ...(limits === "widen" ? limitDenials(rendered, provider) : []),
    ...(limits === "asked" ? scalingDenials(rendered, provider) : []),
    ...(ability.fields["nodePools.taints"]?.removesByKey === true ? taintDenials(rendered, provider) : []),
    ...renamedPools(change),
    ...(ability.keepsFirstPool === true ? firstPoolDenials(change) : []),
  ];
}
