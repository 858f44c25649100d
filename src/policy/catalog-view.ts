import { LandfallError } from "../errors.ts";
import type { CatalogView, CarbonProfile, PowerModel } from "../model/catalog.ts";
import { isObject } from "../model/json.ts";
import type { PlaceKey } from "../model/workload.ts";

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);

const isProfile = (value: unknown): boolean => {
  if (!isObject(value) || !isNumber(value["yearly"])) return false;
  const hours = value["hourOfWeek"];
  return hours === null || (Array.isArray(hours) && hours.length === 168 && hours.every(isNumber));
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
  return {
    carbon: section("carbon", isProfile) as Record<string, CarbonProfile>,
    power: power as unknown as PowerModel,
    dates: section("dates", (value) => typeof value === "string") as Record<string, string>,
    places: Object.fromEntries(places.map(({ key, electricityZone }) => [key, { electricityZone }])),
  };
}
