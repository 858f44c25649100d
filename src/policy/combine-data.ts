import { LandfallError } from "../errors.ts";
import { isObject, textOf } from "../model/json.ts";
import { placesHash } from "../model/places/catalog.ts";
import { CLOSED_ROOTS, type DataImageSettings, IMAGE_TABLES } from "../model/bundle-format/other-bundle.ts";
import type { OtherParts } from "./read-other.ts";
import { isWithin, overlap, valueAt, withValue } from "./roots.ts";

/** The platform's own bundle, as far as others could get in its way. */
export interface DataOwner {
  ref: string;
  data: Record<string, unknown>;
  roots: string[];
  /** Packages of its policies as paths: landfall/custom/gpu_hours. */
  packages: readonly string[];
}

const CATALOG = "landfall/catalog";

const DEFAULTS: DataImageSettings = {
  replaceable: [CATALOG],
  stale: { hours: null, action: "warn" },
  byName: {},
};

/** data.landfall.settings.dataImages, which checkSettings has looked at; bundles of before it existed lack it. */
export function dataImageSettings(data: Record<string, unknown>): DataImageSettings {
  const settings = valueAt(data, "landfall/settings/dataImages");
  return isObject(settings) ? (settings as unknown as DataImageSettings) : DEFAULTS;
}

const conflict = (ref: string, root: string, other: string, theirs: string): LandfallError =>
  new LandfallError("BUNDLE_ROOTS", { ref, root, other, theirs });

function checkDisjoint(others: readonly OtherParts[]): void {
  for (const [index, { ref, name }] of others.entries()) {
    const namesake = others.slice(0, index).find((other) => other.name === name);
    if (namesake !== undefined) throw conflict(ref, `the name ${name}`, namesake.ref, name);
  }
  const claims = others.flatMap(({ ref, roots }, index) => roots.map((root) => ({ index, ref, root })));
  for (const { index, ref, root } of claims) {
    const other = claims.find((claim) => claim.index < index && overlap(claim.root, root));
    if (other !== undefined) throw conflict(ref, root, other.ref, other.root);
  }
}

const ownTables = (name: string): readonly string[] =>
  Object.hasOwn(IMAGE_TABLES, name) ? IMAGE_TABLES[name as keyof typeof IMAGE_TABLES] : [];

/**
 * Whether the platform lets an image of this name replace a root. The general list gives no image a table that is not its own:
 * prices, sizes and types decide what is denied.
 */
function isHandedOver(settings: DataImageSettings, { kind, name }: OtherParts, root: string): boolean {
  if (kind !== "data" || CLOSED_ROOTS.some((closed) => overlap(root, closed))) return false;
  const named = Object.hasOwn(settings.byName, name) ? settings.byName[name]?.replaceable : undefined;
  const isAllowed = (named ?? settings.replaceable).some((allowed) => isWithin(root, allowed));
  if (named !== undefined || !isWithin(root, "landfall")) return isAllowed;
  return isAllowed && ownTables(name).some((table) => isWithin(root, `${CATALOG}/${table}`));
}

/** The part of a root that the platform's bundle has itself: a package or data. */
function ownOf({ data, packages }: DataOwner, root: string): string | undefined {
  return packages.find((name) => overlap(root, name)) ?? (valueAt(data, root) === undefined ? undefined : root);
}

/** The parts that the platform's bundle lets no other bundle bring along: data that it does not hand over, packages that it has itself. */
function checkAgainstPlatform(platform: DataOwner, other: OtherParts): void {
  const settings = dataImageSettings(platform.data);
  for (const root of other.roots) {
    const owner = platform.roots.find((own) => overlap(root, own));
    if (owner === undefined || isHandedOver(settings, other, root)) continue;
    const own = ownOf(platform, root);
    if (other.kind === "data" || own !== undefined) throw conflict(other.ref, root, platform.ref, own ?? owner);
  }
}

function placeKeys(data: Record<string, unknown>): string[] {
  const places = valueAt(data, `${CATALOG}/places`);
  return Array.isArray(places) ? places.map((place) => (isObject(place) ? textOf(place["key"]) : "")) : [];
}

function withImage(data: Record<string, unknown>, image: OtherParts): Record<string, unknown> {
  const { ref, places, roots, dates } = image;
  if (places !== null && places !== placesHash(placeKeys(data))) {
    const detail = "its tables are ordered by other places than the platform's bundle has; build both of one catalog";
    throw new LandfallError("BUNDLE_DATA", { ref, detail });
  }
  let result = data;
  for (const root of roots) {
    const value = valueAt(image.data, root);
    if (value === undefined) throw new LandfallError("BUNDLE_DATA", { ref, detail: `there is nothing at ${root}` });
    result = withValue(result, root, value);
  }
  if (Object.keys(dates).length === 0) return result;
  if (!roots.some((root) => isWithin(root, CATALOG))) {
    const detail = "it dates sources of the catalog, but replaces none of its tables";
    throw new LandfallError("BUNDLE_DATA", { ref, detail });
  }
  const before = valueAt(data, `${CATALOG}/dates`);
  return withValue(result, `${CATALOG}/dates`, { ...(isObject(before) ? before : {}), ...dates });
}

/**
 * The platform's data with that of the data images in its place. Throws BUNDLE_ROOTS where two bundles claim the same path,
 * naming both; BUNDLE_DATA for an image that does not fit.
 */
export function combineData(platform: DataOwner, others: readonly OtherParts[]): Record<string, unknown> {
  checkDisjoint(others);
  for (const other of others) checkAgainstPlatform(platform, other);
  return others.filter(({ kind }) => kind === "data").reduce(withImage, platform.data);
}

/** The part of the catalog that rules of other teams see: where places are, not what they cost. */
const SHARED = ["places", "placeIds", "residency"].map((name) => `${CATALOG}/${name}`);

/** The data that the rules of another team see: their own data, data images outside the platform's roots, and the catalog's places. */
export function dataOfTeam(
  team: OtherParts,
  combined: Record<string, unknown>,
  { roots }: Pick<DataOwner, "roots">,
  others: readonly OtherParts[],
): Record<string, unknown> {
  const images = others.filter(({ kind }) => kind === "data").flatMap((image) => image.roots);
  const foreign = images.filter((root) => !roots.some((own) => overlap(root, own)));
  let data = team.data;
  for (const path of [...SHARED, ...foreign]) {
    const value = valueAt(combined, path);
    if (value !== undefined) data = withValue(data, path, value);
  }
  return data;
}
