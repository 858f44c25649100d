import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isObject, stringOf, textOf } from "../../model/json.ts";

/** A place's town, in degrees; null where it is not known. */
export interface Town {
  display: string;
  country: string;
  latitude: number | null;
  longitude: number | null;
}

/** ms = intercept + slope × 1000 km; `p90`: the error that nine of ten measurements do not exceed, which an estimate adds. */
interface Fit {
  intercept: number;
  slope: number;
  p90: number;
}

export interface Geography {
  /** `provider/region` -> its town. */
  towns: ReadonlyMap<string, Town>;
  /** Distances from a place at which an estimate of the latency reaches so many ms. */
  circlesFrom: (place: string) => { ms: number; km: number }[];
}

const degrees = (value: unknown): number | null => (typeof value === "number" && Number.isFinite(value) ? value : null);

function townsIn(file: unknown): [string, Town][] {
  const places = isObject(file) && isObject(file["places"]) ? file["places"] : {};
  return Object.entries(places).map(([key, value]) => {
    const { display, country, latitude, longitude } = isObject(value) ? value : {};
    return [
      key,
      {
        display: stringOf(display),
        country: stringOf(country),
        latitude: degrees(latitude),
        longitude: degrees(longitude),
      },
    ];
  });
}

/** The fit between providers in an area: Europe, where latencies are lower, or the world. */
function fitIn(file: unknown, area: "europe" | "world"): Fit | null {
  const fits = isObject(file) && isObject(file["fits"]) ? file["fits"] : {};
  const found = isObject(fits[area]) ? fits[area]["across"] : null;
  if (!isObject(found)) return null;
  const { intercept, slope, p90 } = found;
  return typeof intercept === "number" && typeof slope === "number" && typeof p90 === "number"
    ? { intercept, slope, p90 }
    : null;
}

/** The countries whose latencies have a fit of their own: those of the EEA, Switzerland and the United Kingdom. */
function europeIn(file: unknown): ReadonlySet<string> {
  const areas = isObject(file) && isObject(file["areas"]) ? file["areas"] : {};
  const { EEA } = areas;
  return new Set(["CH", "GB", ...(Array.isArray(EEA) ? EEA.map(textOf) : [])]);
}

/** Steps in ms: those within Europe say nothing of places further away. */
const CIRCLES_MS = { europe: [20, 30, 50], world: [100, 150, 200, 300] } as const;

function circlesOf(fit: Fit | null, steps: readonly number[]): { ms: number; km: number }[] {
  if (fit === null) return [];
  const { intercept, slope, p90 } = fit;
  return steps.map((ms) => ({ ms, km: ((ms - intercept - p90) / slope) * 1000 })).filter(({ km }) => km > 0);
}

const read = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8")) as unknown;

/** Reads the towns of the catalog's places and the fit of latencies from the folder of the catalog. */
export async function readGeography(folder: string): Promise<Geography> {
  const names = ["places.json", "latency.json", "residency.json"];
  const [places, latency, residency] = await Promise.all(names.map((name) => read(join(folder, name))));
  const towns = new Map(townsIn(places));
  const europe = europeIn(residency);
  const fits = { europe: fitIn(latency, "europe"), world: fitIn(latency, "world") };
  return {
    towns,
    circlesFrom(place) {
      const area = europe.has(towns.get(place)?.country ?? "") ? "europe" : "world";
      return circlesOf(fits[area], CIRCLES_MS[area]);
    },
  };
}
