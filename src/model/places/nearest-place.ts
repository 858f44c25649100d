import { nearest } from "../text/nearest.ts";
import { placesOfCity } from "./cities.ts";

const regionOf = (place: string): string => place.slice(place.indexOf("/") + 1);

/** The places of a region: one, as no two providers have a region of the same name. */
const ofRegion = (region: string | null, places: readonly string[]): string | null =>
  places.find((place) => regionOf(place) === region) ?? null;

/** The places of a city, those of the provider that the text names first. */
function inCity(text: string, places: readonly string[]): string[] {
  const [first = "", ...rest] = text.toLowerCase().split("/");
  const [provider, city] = rest.length === 0 ? ["", first] : [first, rest.join("/")];
  const found = placesOfCity(city).filter((place) => places.includes(place));
  const own = found.filter((place) => place.startsWith(`${provider}/`));
  return own.length > 0 ? own : found;
}

/**
 * The places (provider/region) that a text means: the place of a region without its provider, those of a city, or the one that is written
 * nearly so. Empty if none is near.
 */
export function nearestPlaces(text: string, places: readonly string[]): string[] {
  const regions = places.map(regionOf);
  const region = regionOf(text.trim().toLowerCase());
  const [own, near] = [ofRegion(region, places), inCity(text.trim(), places)];
  if (own === null && near.length > 0) return near;
  const one = own ?? nearest(text, places) ?? ofRegion(nearest(region, regions), places);
  return one === null ? [] : [one];
}

/** The first of them; null if none is near. */
export const nearestPlace = (text: string, places: readonly string[]): string | null =>
  nearestPlaces(text, places)[0] ?? null;
