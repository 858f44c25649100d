import type { Denial } from "../../model/decision.ts";
import { isObject, ownValue } from "../../model/json.ts";
import { flow } from "../../model/wrong-value/explain-value.ts";
import { readValue } from "../../model/wrong-value/read/read-value.ts";
import { nodeAt, type SchemaNode } from "../../model/wrong-value/schema-node.ts";
import { gpuIn, TYPES_WITH } from "../../model/wrong-value/texts/read-gpu.ts";
import { SCHEMAS } from "../check/schema-denials.ts";
import type { DecisionRequest } from "../types.ts";
import { firstWith, usualType } from "./usual-types.ts";

type Fields = Record<string, unknown>;

const POOL: SchemaNode = nodeAt(SCHEMAS.KaasCluster, "/nodePools/0");

/** A field of a pool as its own correction writes it. */
const meant = (pool: Fields, name: string): unknown => readValue(POOL.properties?.[name] ?? {}, pool[name])?.value;

/** The types that have the model of GPUs that a pool names, as many as it asks for. */
function withModel(pool: Fields, provider: string): string[] | null {
  const gpu = typeof pool["gpu"] === "string" ? gpuIn(pool["gpu"]) : null;
  if (gpu === null) return null;
  const counts = ownValue(TYPES_WITH, gpu.model)?.[provider] ?? {};
  return Object.entries(counts).flatMap(([type, count]) => (count >= (gpu.count ?? 1) ? [type] : []));
}

/** The smallest type with the GPUs and the size of a pool; undefined for none. */
function typeFor(request: DecisionRequest, provider: string, pool: Fields): string | undefined {
  const least = { cpu: Number(meant(pool, "cpu") ?? 0), memory: Number(meant(pool, "memory") ?? 0) };
  const types = withModel(pool, provider);
  if (types !== null) return firstWith(request, provider, least, types);
  return pool["gpu"] === undefined ? usualType(request, provider, least) : undefined;
}

/** A type for each pool; null where one of them is not known. */
function typesOf(request: DecisionRequest, provider: string): Fields | null {
  const { nodePools: pools, poolInstanceTypes: given } = request.object.spec ?? {};
  if (!Array.isArray(pools) || !pools.every(isObject) || given !== undefined) return null;
  const all = pools.flatMap((pool) => {
    const name = meant(pool, "name");
    const type = typeFor(request, provider, pool);
    return typeof name === "string" && type !== undefined ? [[name, type] as const] : [];
  });
  const types = Object.fromEntries(all);
  return Object.keys(types).length === pools.length ? types : null;
}

/** In a correction of a model of GPUs: the smallest type that has it. */
const SMALLEST = /; (\S{1,20}) comes with a type, which poolInstanceTypes names: \S{1,60}$/;

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
