import type { Denial } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import { denial, shown } from "./denial.ts";
import { poolsOf } from "./read-request.ts";
import { isReservedName } from "../../model/names.ts";
import { nearest } from "../../model/text/nearest.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import { readValue } from "../../model/wrong-value/read/read-value.ts";
import { nodeAt } from "../../model/wrong-value/schema-node.ts";
import { SCHEMAS } from "./schema-denials.ts";
import { checkNetworks } from "./check-networks.ts";

type Fields = Record<string, unknown>;

const limits = (least: unknown, most: unknown): string => `min: ${textOf(least)} and max: ${textOf(most)}`;

interface SizeProblem {
  detail: string;
  correction: string;
}

function wrongLimits(min: unknown, max: unknown): SizeProblem | null {
  if (max === undefined)
    return { detail: "has a min and no max", correction: `add max, e.g. max: ${shown(Math.max(1, Number(min)))}` };
  if (Number(max) >= Number(min ?? 0)) return null;
  return { detail: `has max ${shown(max)} below min ${shown(min)}`, correction: `write ${limits(max, min)}` };
}

/** Providers whose clusters keep a node in the first pool (`clusters.limits` of the policy). */
const FILLED: readonly string[] = ["azure", "elemento"];

/** Why the numbers of nodes of a pool contradict each other, and what to write; null if they do not. */
function sizeProblem({ count, min, max }: Fields, hasNode: boolean): SizeProblem | null {
  if ((min ?? max) === undefined) return null;
  if (count === undefined) return wrongLimits(min, max);
  const [one, other] = [min ?? count, max ?? count];
  const [least, most] = Number(one) <= Number(other) ? [one, other] : [other, one];
  const inOrder = limits(hasNode && Number(least) === 0 ? Math.min(1, Number(most)) : least, most);
  return {
    detail: "has a count as well as min or max",
    correction: `remove count and write ${inOrder}, or remove min and max`,
  };
}

function sizes(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap((pool, index) => {
    const hasNode = index === 0 && FILLED.includes(textOf(spec["provider"]));
    const problem = sizeProblem(pool, hasNode);
    const field = `spec.nodePools[${String(index)}]`;
    return problem === null ? [] : [denial("ADM_POOL_SIZE", { field }, { pool: textOf(pool["name"]), ...problem })];
  });
}

/** Of a pool's name. */
const LONGEST = 12;

function twice(spec: Fields): Denial[] {
  const names = poolsOf(spec).map(({ name }) => textOf(name));
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  const name = names[index];
  if (name === undefined) return [];
  const numbered = names.map((_one, at) => `${name.slice(0, LONGEST - 3)}${String(at + 2)}`);
  const free = numbered.find((one) => !names.includes(one)) ?? name;
  return [denial("ADM_POOL_TWICE", { field: `spec.nodePools[${String(index)}].name`, actual: name }, { free })];
}

function reservedName(field: string, [key, value]: [string, unknown]): Denial[] {
  if (!isReservedName(key)) return [];
  const name = key.split("/")[1] ?? key;
  const instead = value === "" || value === undefined ? `role: ${name}` : `${name}: ${flow(value)}`;
  const detail = "the name is reserved for Kubernetes, so that nodes or their provider refuse it";
  return [denial("ADM_FIELDS", { field }, { detail, correction: `write a name of your own, e.g. ${instead}` })];
}

/** Only EKS refuses such taints. */
const refusesTaints = ({ provider = "aws" }: Fields): boolean => provider === "aws";

function reservedNames(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap(({ labels, taints }, index) => {
    const field = `spec.nodePools[${String(index)}]`;
    const keys = isObject(labels) ? Object.entries(labels) : [];
    const tainted: unknown[] = Array.isArray(taints) && refusesTaints(spec) ? taints : [];
    return [
      ...keys.flatMap(([key, value]) => reservedName(`${field}.labels.${key}`, [key, value])),
      ...tainted
        .filter(isObject)
        .flatMap(({ key }, at) => reservedTaint(`${field}.taints[${String(at)}]`, textOf(key))),
    ];
  });
}

/** Kubernetes takes one taint for each key and effect. */
function repeatedTaints(spec: Fields): Denial[] {
  return poolsOf(spec).flatMap(({ taints }, index) => {
    const ids = (Array.isArray(taints) ? (taints as unknown[]) : [])
      .filter(isObject)
      .map(({ key, effect }) => `${textOf(key)} with the effect ${textOf(effect)}`);
    const repeated = ids.find((id, at) => ids.indexOf(id) !== at);
    if (repeated === undefined) return [];
    const detail = `there is more than one taint ${repeated}, of which a node takes one`;
    const field = `spec.nodePools[${String(index)}].taints`;
    return [denial("ADM_FIELDS", { field }, { detail, correction: "write one of them, or another effect" })];
  });
}

function reservedTaint(field: string, key: string): Denial[] {
  if (!isReservedName(key)) return [];
  const detail = `${key} is reserved for Kubernetes, and EKS refuses it`;
  const correction = `write a key of your own, e.g. key: ${key.split("/")[1] ?? "gpu"}, or another provider than aws`;
  return [denial("ADM_FIELDS", { field }, { detail, correction })];
}

/** Checks of a cluster's spec that JSON Schema cannot express. */
export function checkCluster(spec: Fields, refused: readonly string[]): Denial[] {
  const ofNetworks = checkNetworks(spec, refused);
  return [...reservedNames(spec), ...repeatedTaints(spec), ...twice(spec), ...sizes(spec), ...ofNetworks];
}

const listed = (names: readonly string[]): string => `${names.length > 1 ? "pools" : "pool"} ${names.join(" and ")}`;

/**
 * The types of all pools as they are meant: of a misspelt pool that of its nearest name, otherwise that of the only name that the cluster does not
 * have; null if one is not known. The type of another pool may be too small.
 */
function meantTypes(types: Fields, pools: readonly string[], foreign: readonly string[]): Fields | null {
  const [only, ...others] = foreign;
  const left = only === undefined || others.length > 0 ? undefined : types[only];
  const found = pools.map((pool) => {
    const near = nearest(pool, foreign);
    return [pool, types[pool] ?? (near === null ? undefined : types[near]) ?? left] as const;
  });
  return found.some(([, type]) => type === undefined) ? null : Object.fromEntries(found);
}

/** Of a pool. A name that is denied anyway is compared as its correction writes it. */
const NAME = nodeAt(SCHEMAS.KaasCluster, "/nodePools/0/name");

/** Types that the user sets must cover every pool and no other: missing ones would never be filled in. */
export function checkPoolTypes(spec: Fields): Denial[] {
  const types = spec["poolInstanceTypes"];
  if (!isObject(types)) return [];
  const pools = poolsOf(spec).map(({ name }) => textOf(readValue(NAME, name)?.value ?? name));
  const missing = pools.filter((name) => types[name] === undefined);
  const foreign = Object.keys(types).filter((name) => !pools.includes(name));
  if (missing.length + foreign.length === 0) return [];
  const detail = [
    ...(missing.length > 0 ? [`has no type for ${listed(missing)}`] : []),
    ...(foreign.length > 0 ? [`names ${listed(foreign)}, which the cluster does not have`] : []),
  ].join(" and ");
  const meant = meantTypes(types, pools, foreign);
  const correction =
    meant === null
      ? `write a type for each of ${pools.join(", ")}, or omit poolInstanceTypes`
      : `write poolInstanceTypes: ${flow(meant)}, or omit it`;
  return [denial("ADM_POOL_TYPES", { field: "spec.poolInstanceTypes" }, { detail, correction })];
}
