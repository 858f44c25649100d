import type { Denial } from "../../model/decision.ts";
import { isObject, ownValue, textOf } from "../../model/json.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import { gpuIn, TYPES_WITH } from "../../model/wrong-value/texts/read-gpu.ts";
import { poolsOf } from "../check/read-request.ts";
import type { DecisionRequest } from "../types.ts";
import type { Ask, Fields } from "./change-search.ts";
import { completeTypes } from "./complete-types.ts";
import { corrected } from "./corrected-object.ts";
import { changed, type DecideOnce } from "./find-remedies.ts";
import { firstWith } from "./usual-types.ts";

/** Fields that hold the model of GPUs. */
const OF_GPUS = /gpu|accelerator/i;

type Pools = readonly Fields[];
/** Types with their number of GPUs. */
type Counts = Readonly<Record<string, number>>;

/** By the provider, the types with the model of GPUs that a pool names, as many as it asks for; null for a pool that names none. */
function withModel(written: unknown, pool: Fields): ((provider: string) => Counts) | null {
  const texts = Object.entries(isObject(written) ? written : {}).flatMap(([name, value]) =>
    OF_GPUS.test(name) ? [value, ...(isObject(value) ? Object.values(value) : [])] : [],
  );
  const gpu = texts.map((text) => (typeof text === "string" ? gpuIn(text) : null)).find((one) => one !== null);
  if (gpu === undefined) return null;
  const least = Number(pool["gpu"] ?? 1);
  return (provider) =>
    Object.fromEntries(
      Object.entries(ownValue(TYPES_WITH, gpu.model)?.[provider] ?? {}).filter(([, count]) => count >= least),
    );
}

/** Types of one provider for pools, and the GPUs that these have. */
interface Offer {
  types: Fields;
  gpus: number;
}

/** The smallest type of a provider for each pool that names a model of GPUs; empty where the provider lacks one. `written`: the pools of the user. */
function offersOf(request: DecisionRequest, written: readonly unknown[], pools: Pools, provider: string): Offer[] {
  const all = pools.flatMap((pool, index) => {
    const counts = withModel(written[index], pool)?.(provider);
    if (counts === undefined) return [];
    const least = { cpu: Number(pool["cpu"]), memory: Number(pool["memory"]) };
    const type = firstWith(request, provider, least, Object.keys(counts));
    return [{ name: textOf(pool["name"]), type, gpus: counts[type ?? ""] ?? 0 }];
  });
  if (all.length === 0 || all.some(({ type }) => type === undefined)) return [];
  const types = Object.fromEntries(all.map(({ name, type }) => [name, type]));
  return [{ types, gpus: all.reduce((sum, { gpus }) => sum + gpus, 0) }];
}

/** A pool without what says nothing of its type: a fault there has a text of its own. */
const plain = ({ labels: _labels, taints: _taints, ...pool }: Fields): Fields => pool;

/** In a correction of a model of GPUs: the smallest types that have it. */
const SMALLEST =
  /(?:; |(?<=^remove it): )(\S{1,20}) comes with a type, which poolInstanceTypes names: [\w., -]{1,200}$/;

/** With more pools, a search through the providers takes too long. */
const MOST_POOLS = 16;

/** The corrected spec of a cluster whose pools need types; null for one that names types, and for too many pools. */
function correctedPools(
  request: DecisionRequest,
  denials: readonly Denial[],
): { spec: Fields; written: unknown[] } | null {
  const { nodePools: written, poolInstanceTypes: given } = request.object.spec ?? {};
  if (given !== undefined || !Array.isArray(written) || written.length > MOST_POOLS) return null;
  const spec = corrected(request, denials)?.object.spec ?? {};
  const nodePools = poolsOf(spec).map(plain);
  // The pools of the user and the corrected ones are compared by their indices.
  return nodePools.length === written.length ? { spec: { ...spec, nodePools }, written } : null;
}

/** The types of all pools of a corrected object, with as few GPUs as possible; null where no place that the object allows has them. */
function allTypes(request: DecisionRequest, denials: readonly Denial[], decideOnce: DecideOnce): Fields | null {
  const { spec, written } = correctedPools(request, denials) ?? {};
  if (spec === undefined || written === undefined) return null;
  const base = { ...request, object: { ...request.object, spec } };
  const ask: Ask = (fields) => decideOnce(changed(base, fields));
  const { provider } = spec;
  const providers = typeof provider === "string" ? [provider] : Object.keys(request.policy.catalog.types ?? {});
  const offers = providers.flatMap((one) => offersOf(request, written, poolsOf(spec), one));
  for (const { types } of offers.toSorted((one, other) => one.gpus - other.gpus)) {
    const all = completeTypes(spec, types, ask);
    if (all !== null) return all;
  }
  return null;
}

/**
 * The denials of models of GPUs with the types of all pools: poolInstanceTypes needs each of them, and not every type with the model is large
 * enough, or in a place that the object allows.
 */
export function withGpuTypes(
  request: DecisionRequest,
  denials: readonly Denial[],
  decideOnce: DecideOnce,
): readonly Denial[] {
  if (!denials.some(({ remedy }) => SMALLEST.test(remedy))) return denials;
  const types = allTypes(request, denials, decideOnce);
  if (types === null) return denials;
  const told = (_text: string, model: string): string =>
    `; for the model ${model}, also write poolInstanceTypes: ${flow(types)} directly below spec`;
  return denials.map((one) => ({ ...one, remedy: one.remedy.replace(SMALLEST, told) }));
}
