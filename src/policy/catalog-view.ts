import { LandfallError } from "../errors.ts";
import { tableOfHours } from "../model/bundle-format/carbon-table.ts";
import type { CarbonProfile, CarbonTable, CatalogView, PowerModel, SettingNames } from "../model/places/catalog.ts";
import { isObject, textOf } from "../model/json.ts";
import { inside } from "../model/schemas/setting-problem.ts";
import { unpackHours } from "../model/bundle-format/packed-hours.ts";
import { WEEK_HOURS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

/** gCO2eq/kWh; more does not fit into a table, and no grid comes near it. */
const MOST_GRAMS = 6000;

/** A loop: `every` with a function takes ten times as long for the 80,000 hours of a catalog. */
function areIntensities(hours: ArrayLike<unknown>): boolean {
  for (let hour = 0; hour < hours.length; hour += 1) {
    const value = hours[hour];
    if (typeof value !== "number" || !(value >= 0 && value <= MOST_GRAMS)) return false;
  }
  return true;
}

const isWeek = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === WEEK_HOURS && areIntensities(value);
const isYear = (value: unknown): value is number[][] =>
  Array.isArray(value) && value.length === 12 && value.every(isWeek);

/** The hours of a profile; null if they have another shape. Packed ones are unpacked once. */
function hoursOf(value: unknown): ArrayLike<number> | null {
  if (value === null) return [];
  if (isWeek(value)) return value;
  if (isYear(value)) return value.flat();
  const unpacked = typeof value === "string" ? unpackHours(value) : null;
  return unpacked !== null && areIntensities(unpacked) ? unpacked : null;
}

/** The table of a zone's profile; null for a profile of another shape. */
function tableOf(value: unknown): CarbonTable | null {
  if (!isObject(value) || !isNumber(value["yearly"])) return null;
  const hours = hoursOf(value["hourOfWeek"]);
  return hours === null ? null : tableOfHours(value as unknown as CarbonProfile, hours);
}

const isPower = (value: unknown): boolean =>
  isObject(value) && isNumber(value["wattsPerVcpu"]) && isNumber(value["wattsPerGiB"]) && isObject(value["pue"]);

interface Place {
  key: PlaceKey;
  electricityZone: string | null;
}

const isPlace = (value: unknown): value is Place =>
  isObject(value) &&
  typeof value["key"] === "string" &&
  (value["electricityZone"] === null || typeof value["electricityZone"] === "string");

/** The error of a part of the catalog that `landfall bundle build` did not write. */
const wrongPart = (ref: string, part: string): LandfallError =>
  new LandfallError("BUNDLE_DATA", {
    ref,
    detail: `data.landfall.catalog.${part} is missing, or not as \`landfall bundle build\` writes it from catalog/`,
  });

function placesOf(value: unknown, ref: string): Place[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isPlace)) return value;
  throw wrongPart(ref, "places");
}

function typesOf(ids: unknown): Pick<CatalogView, "types"> {
  if (!isObject(ids)) return {};
  const byProvider = Object.entries(ids).map(([provider, names]) => [
    provider,
    isObject(names) ? Object.keys(names) : [],
  ]);
  return { types: Object.fromEntries(byProvider) as Record<string, string[]> };
}

/** The names that the settings of namespaces can have, without what the bundle lacks. */
function settingNamesOf(settings: unknown, typeIds: unknown, places: readonly Place[]): SettingNames {
  const weights = inside(settings, "objective", "weights");
  const families = inside(settings, "families");
  const all: readonly (readonly [string, readonly unknown[] | null])[] = [
    ["optimize-for", isObject(weights) ? Object.keys(weights) : null],
    ["families", Array.isArray(families) ? families : null],
    ["providers", isObject(typeIds) ? Object.keys(typeIds) : null],
    ["regions", places.map(({ key }) => key)],
    ["origin", places.map(({ key }) => key)],
  ];
  return Object.fromEntries(
    all.flatMap(([name, names]) => (names === null ? [] : [[`landfall.dev/${name}`, names.map(textOf)] as const])),
  );
}

/** Looks up the rows of types by their ids: `typeIds` has machines, `gpuIds` those with GPUs. */
function sizesOf(catalog: Record<string, unknown>): Required<Pick<CatalogView, "sizeOf">> {
  const { types, typeIds, gpuIds } = catalog;
  const idIn = (ids: unknown, provider: string, type: string): unknown => {
    const known = isObject(ids) && Object.hasOwn(ids, provider) ? ids[provider] : undefined;
    return isObject(known) && Object.hasOwn(known, type) ? known[type] : undefined;
  };
  return {
    sizeOf: (provider, type) => {
      const id = idIn(typeIds, provider, type) ?? idIn(gpuIds, provider, type);
      const row: unknown = Array.isArray(types) && typeof id === "number" ? types[id] : undefined;
      const [, vcpus, memoryGiB] = Array.isArray(row) ? (row as unknown[]) : [];
      return typeof vcpus === "number" && typeof memoryGiB === "number" ? { vcpus, memoryGiB } : null;
    },
  };
}

/** The part of the bundle's data that placement reads. Throws BUNDLE_DATA if it is missing or of the wrong shape. */
export function catalogView(data: Record<string, unknown>, ref: string): CatalogView {
  const root = data["landfall"];
  const catalog = isObject(root) ? root["catalog"] : undefined;
  const section = (name: string, fits: (value: unknown) => boolean): Record<string, unknown> => {
    const value = isObject(catalog) ? catalog[name] : undefined;
    if (isObject(value) && Object.values(value).every(fits)) return value;
    throw wrongPart(ref, name);
  };
  const power = section("power", () => true);
  if (!isPower(power)) throw wrongPart(ref, "power");
  const places = placesOf(isObject(catalog) ? catalog["places"] : undefined, ref);
  const carbon = Object.entries(section("carbon", isObject)).map(([zone, profile]) => {
    const table = tableOf(profile);
    if (table === null) throw wrongPart(ref, `carbon.${zone}`);
    return [zone, table] as const;
  });
  return {
    carbon: Object.fromEntries(carbon),
    power: power as unknown as PowerModel,
    dates: section("dates", (value) => typeof value === "string") as Record<string, string>,
    places: Object.fromEntries(places.map(({ key, electricityZone }) => [key, { electricityZone }])),
    settingNames: settingNamesOf(inside(root, "settings"), inside(catalog, "typeIds"), places),
    ...typesOf(isObject(catalog) ? catalog["typeIds"] : undefined),
    ...sizesOf(isObject(catalog) ? catalog : {}),
  };
}
