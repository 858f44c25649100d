import type { Denial } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { DecisionRequest } from "../types.ts";

/** A machine type with its size. */
interface Sized {
  type: string;
  vcpus: number;
  memoryGiB: number;
}

/** Deeper, no tool has the type of a machine. */
const DEEPEST = 3;

/** The texts in a map, also in maps and lists within it, but not in lists of maps, which are other things. */
function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (depth > DEEPEST) return [];
  if (isObject(value)) return Object.values(value).flatMap((one) => textsIn(one, depth + 1));
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** The only machine type among texts; null for none, and for several. */
function typeAmong({ policy: { catalog } }: DecisionRequest, texts: readonly string[]): Sized | null {
  const providers = Object.keys(catalog.types ?? {});
  const found = [...new Set(texts)].flatMap((type) => {
    const size = providers.map((provider) => catalog.sizeOf?.(provider, type) ?? null).find((one) => one !== null);
    return size === undefined ? [] : [{ ...size, type }];
  });
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? null : only;
}

/** `spec.cpu`, `spec.nodePools[0].memory`: a size that is missing. */
const SIZE = /^spec\.(?:nodePools\[(\d{1,3})\]\.)?(cpu|memory)$/;

/** The texts that can name the type of the machine or pool that a size belongs to. */
function textsFor({ object: { spec = {} } }: DecisionRequest, index: string | undefined): string[] {
  if (index === undefined) return textsIn(spec);
  const pool = (spec["nodePools"] as unknown[])[Number(index)];
  const types = spec["poolInstanceTypes"];
  const own = isObject(pool) && isObject(types) ? types[textOf(pool["name"])] : undefined;
  return [...textsIn(pool), ...textsIn(own)];
}

/** A denial of a size that is missing, with that of the machine type that the object names: an example could be more than the type has. */
export function withTypeSize(request: DecisionRequest, entry: Denial): Denial {
  const [, index, name] = SIZE.exec(entry.field ?? "") ?? [];
  if (name === undefined || entry.code !== "ADM_SCHEMA" || !entry.message.endsWith("is missing")) return entry;
  const found = typeAmong(request, textsFor(request, index));
  if (found === null) return entry;
  const amount = name === "cpu" ? found.vcpus : Math.floor(found.memoryGiB);
  return amount < 1 ? entry : { ...entry, remedy: `write ${name}: ${String(amount)}, as ${found.type} has` };
}
