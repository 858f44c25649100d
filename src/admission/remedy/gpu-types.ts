import type { Denial } from "../../model/decision.ts";
import { isObject, ownValue, textOf } from "../../model/json.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import { readValue } from "../../model/wrong-value/read/read-value.ts";
import { nodeAt, type SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { gpuIn, TYPES_WITH } from "../../model/wrong-value/texts/read-gpu.ts";
import { SCHEMAS } from "../check/schema-denials.ts";
import type { DecisionRequest } from "../types.ts";

type Fields = Record<string, unknown>;

const POOL: SchemaNode = nodeAt(SCHEMAS.KaasCluster, "/nodePools/0");

/** A field of a pool as its own correction writes it. */
const meant = (pool: Fields, name: string): unknown => readValue(POOL.properties?.[name] ?? {}, pool[name])?.value;

/** The first of types, the smallest first, that has what a pool asks for. */
function enough(
  { policy: { catalog } }: DecisionRequest,
  provider: string,
  pool: Fields,
  types: readonly string[],
): string[] {
  const [cpu, memory] = ["cpu", "memory"].map((name) => Number(meant(pool, name) ?? 0));
  const found = types.find((type) => {
    const size = catalog.sizeOf?.(provider, type) ?? null;
    return size !== null && size.vcpus >= (cpu ?? 0) && size.memoryGiB >= (memory ?? 0);
  });
  return found === undefined ? [] : [found];
}

/** The part of a type's name that those of its family have in common: `m7i.`, `n2-standard-`. */
const familyOf = (type: string): string => /^(?:.{1,20}\.|.{1,40}-(?=\d))/.exec(type)?.[0] ?? type.replace(/\d.*$/, "");

/** Types of one family, the smallest first. */
function ofFamily({ policy: { catalog } }: DecisionRequest, provider: string): string[] {
  const example: unknown = Object.values(
    Object(nodeAt(SCHEMAS.KaasCluster, "/poolInstanceTypes")["x-provider-examples"]?.[provider]) as Fields,
  )[0];
  const family = familyOf(textOf(example));
  const vcpus = (type: string): number => catalog.sizeOf?.(provider, type)?.vcpus ?? Infinity;
  const all = (catalog.types?.[provider] ?? []).filter((type) => type.startsWith(family));
  return all.toSorted((one, other) => vcpus(one) - vcpus(other));
}

/** The types that have the model of GPUs that a pool names, as many as it asks for. */
function withModel(pool: Fields, provider: string): string[] | null {
  const gpu = typeof pool["gpu"] === "string" ? gpuIn(pool["gpu"]) : null;
  if (gpu === null) return null;
  const counts = ownValue(TYPES_WITH, gpu.model)?.[provider] ?? {};
  return Object.entries(counts).flatMap(([type, count]) => (count >= (gpu.count ?? 1) ? [type] : []));
}

/** A type for each pool; null where one of them is not known. */
function typesOf(request: DecisionRequest, provider: string): Fields | null {
  const { nodePools: pools, poolInstanceTypes: given } = request.object.spec ?? {};
  if (!Array.isArray(pools) || !pools.every(isObject) || given !== undefined) return null;
  const plain = ofFamily(request, provider);
  const all = pools.flatMap((pool) => {
    const name = meant(pool, "name");
    const [type] = enough(
      request,
      provider,
      pool,
      withModel(pool, provider) ?? (pool["gpu"] === undefined ? plain : []),
    );
    return typeof name === "string" && type !== undefined ? [[name, type] as const] : [];
  });
  const types = Object.fromEntries(all);
  return Object.keys(types).length === pools.length ? types : null;
}

/** In a correction of a model of GPUs: the smallest type that has it. */
const SMALLEST = /; (\S{1,20}) comes with a type, which poolInstanceTypes names: \S+$/;

/** A correction of a model of GPUs with the types of all pools: poolInstanceTypes needs each of them, and the smallest type with the model can be too small. */
export function withGpuTypes(request: DecisionRequest, entry: Denial): Denial {
  const [, model] = SMALLEST.exec(entry.remedy) ?? [];
  const provider = readValue(nodeAt(SCHEMAS.KaasCluster, "/provider"), request.object.spec?.["provider"])?.value;
  const types = model === undefined || typeof provider !== "string" ? null : typesOf(request, provider);
  if (types === null) return entry;
  const remedy = entry.remedy.replace(
    SMALLEST,
    `; for the model ${model ?? ""}, also write poolInstanceTypes: ${flow(types)} directly below spec`,
  );
  return { ...entry, remedy };
}
