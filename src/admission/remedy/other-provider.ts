import type { Denial } from "../../model/decision.ts";
import { textOf } from "../../model/json.ts";
import { nearest } from "../../model/text/nearest.ts";
import type { DecisionRequest } from "../types.ts";
import { type NearestName, regionOf } from "./named-places.ts";
import { likeTypes } from "./like-types.ts";
import { usualType } from "./usual-types.ts";

/** A provider with its types, and those that the object means there. */
interface Meant {
  provider: string;
  /** The type of the catalog that the object's type is, or is most like; undefined for none. */
  type: string | undefined;
}

/** The other provider that has the region of an object; null for none. */
function ownerOf({ policy: { catalog } }: DecisionRequest, region: string, type: unknown): Meant | null {
  const place = Object.keys(catalog.places).find((key) => regionOf(key) === region);
  const provider = place?.split("/")[0];
  if (provider === undefined) return null;
  const names = catalog.types?.[provider] ?? [];
  const own = typeof type === "string" ? (names.includes(type) ? type : likeTypes(names, type)[0]) : undefined;
  return { provider, type: own };
}

/** The fields for an object whose region and type are both another provider's: those of that provider, and those of its own. */
interface Choices {
  owner: string;
  other: Readonly<Record<string, string>>;
  own: Readonly<Record<string, string>>;
}

/** The choices of an object that names a region and a type of another provider; null for others. */
function choicesOf(request: DecisionRequest, region: string): Choices | null {
  const { object, policy } = request;
  const { provider, instanceType } = object.spec ?? {};
  const { catalog } = policy;
  const owner = ownerOf(request, region, instanceType);
  if (owner?.type === undefined || typeof provider !== "string" || owner.provider === provider) return null;
  const regions = Object.keys(catalog.places).filter((key) => key.startsWith(`${provider}/`));
  const schedulingLocation = nearest(region, regions.map(regionOf));
  const type = asLarge(request, provider, { provider: owner.provider, type: owner.type });
  if (schedulingLocation === null || type === undefined) return null;
  const renamed = owner.type === instanceType ? {} : { instanceType: owner.type };
  const other = { provider: owner.provider, ...renamed };
  return { owner: owner.provider, other, own: { schedulingLocation, instanceType: type } };
}

/** A type of a provider that is as large as one of another provider; undefined for none. */
function asLarge(
  request: DecisionRequest,
  provider: string,
  { provider: other, type }: { provider: string; type: string },
): string | undefined {
  const size = request.policy.catalog.sizeOf?.(other, type) ?? null;
  return size === null
    ? undefined
    : usualType(request, provider, { cpu: size.vcpus, memory: Math.floor(size.memoryGiB) });
}

const inWords = (fields: Readonly<Record<string, string>>, sign: string): string =>
  Object.entries(fields)
    .map(([name, value]) => `${name}${sign}${value}`)
    .join(" and ");

/** The names of a region and a type that both are another provider's, for the search: the other provider, and what is nearest at the object's own. */
export function namesOfOther(request: DecisionRequest, region: string): NearestName[] {
  const { other, own } = choicesOf(request, region) ?? {};
  return [other, own].flatMap((fields) => (fields === undefined ? [] : [{ fields, text: inWords(fields, " ") }]));
}

/** A denial of a region of another provider, whose type the object names as well, with what to write for either provider. */
export function withOtherProvider(request: DecisionRequest, entry: Denial): Denial {
  const { code, actual, source } = entry;
  if (code !== "POL_UNKNOWN_REGION" || source !== undefined || typeof actual !== "string") return entry;
  const found = choicesOf(request, actual);
  if (found === null) return withOwner(request, entry, actual);
  const type = textOf(request.object.spec?.["instanceType"]);
  const { instanceType } = found.other;
  const missing = instanceType === undefined ? "" : `, and the catalog has ${instanceType} in place of ${type}`;
  const remedy = `${actual} and ${type} are those of ${found.owner}${missing}: write ${inWords(found.other, ": ")}, or write ${inWords(found.own, ": ")}`;
  return { ...entry, remedy };
}

/** The same of a region alone. */
function withOwner(request: DecisionRequest, entry: Denial, region: string): Denial {
  const { provider } = request.object.spec ?? {};
  const owner = ownerOf(request, region, undefined);
  if (owner === null || typeof provider !== "string") return entry;
  return {
    ...entry,
    remedy: `${region} is a region of ${owner.provider}: omit schedulingLocation, or name a region of ${provider}; \`landfall places\` lists them`,
  };
}
