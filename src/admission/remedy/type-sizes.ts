import schema from "../../../schemas/vm-template.schema.json" with { type: "json" };
import type { Decision, Denial } from "../../model/decision.ts";
import { isObject, textOf } from "../../model/json.ts";
import type { SizeOf } from "../../model/wrong-value/read/pools.ts";
import type { DecisionRequest } from "../types.ts";
import { likeTypes } from "./like-types.ts";
import { hasCode } from "../check/denial.ts";
import { type CandidateChange, type Fields, firstOf } from "./change-search.ts";

/** A machine type with its size. */
interface Sized {
  type: string;
  /** The name for which it stands, if there is no such type. */
  unknown?: string;
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
  // Of several types, the first is written.
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").slice(0, 1) : [];
}

/** The machine types of the catalog among names. */
function typesAmong({ policy: { catalog } }: DecisionRequest, names: readonly string[]): Sized[] {
  const providers = Object.keys(catalog.types ?? {});
  return [...new Set(names)].flatMap((type) => {
    const size = providers.map((provider) => catalog.sizeOf?.(provider, type) ?? null).find((one) => one !== null);
    return size === undefined ? [] : [{ ...size, type }];
  });
}

const NAME = /^[a-z][\w-]{0,30}\.[a-z0-9-]{2,20}$|^Standard_\w{1,40}$/;

/** The types that are compared with all of the catalog for one object. */
const MOST_COMPARED = 10;

/** By the request, the types that were compared: corrections ask for the same ones several times. */
const compared = new WeakMap<DecisionRequest, Map<string, Sized[]>>();

/** The type that is most like one that the catalog does not have; empty if none is, and behind the limit. */
function nearType(request: DecisionRequest, unknown: string): Sized[] {
  const known = compared.get(request) ?? new Map<string, Sized[]>();
  compared.set(request, known);
  const before = known.get(unknown);
  if (before !== undefined || known.size >= MOST_COMPARED) return before ?? [];
  const all = Object.values(request.policy.catalog.types ?? {}).flat();
  const near = typesAmong(request, likeTypes(all, unknown).slice(0, 1)).map((one) => ({ ...one, unknown }));
  known.set(unknown, near);
  return near;
}

/** The types of the catalog that are most like those that it does not have: m5a.large for m5.large. */
const nearAmong = (request: DecisionRequest, texts: readonly string[]): Sized[] =>
  texts.filter((text) => NAME.test(text)).flatMap((unknown) => nearType(request, unknown));

/** The only machine type among texts, or the one that is most like it; null for none, and for several of other sizes. */
function typeAmong(request: DecisionRequest, texts: readonly string[]): Sized | null {
  const own = typesAmong(request, texts);
  const [only, ...others] = own.length > 0 ? own : nearAmong(request, texts);
  const isSame = ({ vcpus, memoryGiB }: Sized): boolean => vcpus === only?.vcpus && memoryGiB === only.memoryGiB;
  return only !== undefined && others.every(isSame) ? only : null;
}

/** The size of the type that a part of an object names, for corrections; a type with less than one GiB has none that can be written. */
export const sizesOf =
  (request: DecisionRequest): SizeOf =>
  (value) => {
    const found = typeAmong(request, textsIn(value));
    const memory = Math.floor(found?.memoryGiB ?? 0);
    if (found === null || memory < 1) return null;
    const { type, unknown, vcpus: cpu } = found;
    return { type, fields: { cpu, memory }, ...(unknown === undefined ? {} : { unknown }) };
  };

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

/** The size that is missing, of the machine type that the object names; null for other denials, and where it names none. */
export function missingSize(
  request: DecisionRequest,
  entry: Denial,
): { type: string; unknown: string | undefined; amount: number } | null {
  const [, index, name] = SIZE.exec(entry.field ?? "") ?? [];
  if (name === undefined || entry.code !== "ADM_SCHEMA" || !entry.message.endsWith("is missing")) return null;
  const found = typeAmong(request, textsFor(request, index));
  const amount = found === null ? 0 : name === "cpu" ? found.vcpus : Math.floor(found.memoryGiB);
  return found === null || amount < 1 ? null : { type: found.type, unknown: found.unknown, amount };
}

/** A denial of a size that is missing, with that of the machine type that the object names: an example could be more than the type has. */
export function withTypeSize(request: DecisionRequest, entry: Denial): Denial {
  const found = missingSize(request, entry);
  const name = entry.field?.split(".").at(-1) ?? "";
  if (found === null) return entry;
  const why = found.unknown === undefined ? "" : `, because the catalog has no ${found.unknown}`;
  return { ...entry, remedy: `write ${name}: ${String(found.amount)}, as ${found.type} has${why}` };
}

const ARCHITECTURES = schema.properties.arch.enum;

/** The architecture of the type that an object names. A cluster has no field for it. */
export function archOfType(
  { instanceType, arch = "amd64" }: Fields,
  denied: Decision,
  cost: number,
): CandidateChange[] {
  if (typeof instanceType !== "string" || !hasCode(denied, "POL_INSTANCE_TYPE")) return [];
  const versions = ARCHITECTURES.filter((one) => one !== arch).map((one) => ({
    fields: { arch: one },
    text: `arch ${one}`,
  }));
  return [firstOf(versions, cost, versions[0] ?? null)];
}
