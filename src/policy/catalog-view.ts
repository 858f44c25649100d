import { LandfallError } from "../errors.ts";
import { carbonTable } from "../model/bundle-format/carbon-table.ts";
import type { CatalogView, CarbonProfile, PowerModel } from "../model/catalog.ts";
import { isObject } from "../model/json.ts";
import { unpackHours } from "../model/bundle-format/packed-hours.ts";
import type { PlaceKey } from "../model/workload.ts";

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

/** gCO2eq/kWh; more does not fit into a table, and no grid comes near it. */
const isIntensity = (value: unknown): boolean => typeof value === "number" && value >= 0 && value <= 6000;
const isWeek = (value: unknown): boolean => Array.isArray(value) && value.length === 168 && value.every(isIntensity);
const isPacked = (value: unknown): boolean =>
  typeof value === "string" && unpackHours(value)?.every(isIntensity) === true;
const isYear = (value: unknown): boolean => Array.isArray(value) && value.length === 12 && value.every(isWeek);

const isProfile = (value: unknown): boolean => {
  if (!isObject(value) || !isNumber(value["yearly"])) return false;
  const hours = value["hourOfWeek"];
  return hours === null || isWeek(hours) || isYear(hours) || isPacked(hours);
};

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

function placesOf(value: unknown, ref: string): Place[] {
  if (Array.isArray(value) && value.length > 0 && value.every(isPlace)) return value;
  throw new LandfallError("BUNDLE_DATA", { ref, detail: "data.landfall.catalog.places" });
}

function typesOf(ids: unknown): Pick<CatalogView, "types"> {
  if (!isObject(ids)) return {};
  const byProvider = Object.entries(ids).map(([provider, names]) => [
    provider,
    isObject(names) ? Object.keys(names) : [],
  ]);
  return { types: Object.fromEntries(byProvider) as Record<string, string[]> };
}

/** What placement reads of the bundle's data. Throws BUNDLE_DATA where it is missing or of the wrong shape. */
export function catalogView(data: Record<string, unknown>, ref: string): CatalogView {
  const root = data["landfall"];
  const catalog = isObject(root) ? root["catalog"] : undefined;
  const section = (name: string, fits: (value: unknown) => boolean): Record<string, unknown> => {
    const value = isObject(catalog) ? catalog[name] : undefined;
    if (isObject(value) && Object.values(value).every(fits)) return value;
    throw new LandfallError("BUNDLE_DATA", { ref, detail: `data.landfall.catalog.${name}` });
  };
  const power = section("power", () => true);
  if (!isPower(power)) throw new LandfallError("BUNDLE_DATA", { ref, detail: "data.landfall.catalog.power" });
  const places = placesOf(isObject(catalog) ? catalog["places"] : undefined, ref);
  const carbon = Object.entries(section("carbon", isProfile) as Record<string, CarbonProfile>);
  return {
    carbon: Object.fromEntries(carbon.map(([zone, profile]) => [zone, carbonTable(profile)])),
    power: power as unknown as PowerModel,
    dates: section("dates", (value) => typeof value === "string") as Record<string, string>,
    places: Object.fromEntries(places.map(({ key, electricityZone }) => [key, { electricityZone }])),
    ...typesOf(isObject(catalog) ? catalog["typeIds"] : undefined),
  };
}
