import type { CarbonProfile } from "../../model/places/catalog.ts";
import { packHours, YEAR_HOURS } from "../../model/bundle-format/packed-hours.ts";

/**
 * A zone's profile in the form of a bundle: monthly profiles are rounded to grams, which takes a third of the space
 * when packed.
 */
export function packProfile(profile: CarbonProfile): CarbonProfile {
  const hours = Array.isArray(profile.hourOfWeek) ? profile.hourOfWeek.flat() : [];
  const packs = hours.length === YEAR_HOURS && hours.every((value) => Number.isInteger(value));
  return packs ? { ...profile, hourOfWeek: packHours(hours) } : profile;
}
