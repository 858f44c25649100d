import { tableOfHours } from "../../src/model/bundle-format/carbon-table.ts";
import { unpackHours } from "../../src/model/bundle-format/packed-hours.ts";
import type { CarbonProfile, CarbonTable } from "../../src/model/places/catalog.ts";

/** The table of a profile, packed or not. */
export function carbonTable({ hourOfWeek, ...profile }: CarbonProfile): CarbonTable {
  const hours = typeof hourOfWeek === "string" ? unpackHours(hourOfWeek) : hourOfWeek?.flat();
  return tableOfHours(profile, hours ?? []);
}
