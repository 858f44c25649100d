import type { CarbonDetail, CarbonProfile, CarbonTable } from "../catalog.ts";
import { unpackHours, YEAR_HOURS } from "./packed-hours.ts";
import { WEEK_HOURS } from "../time.ts";

const TENTHS = 10;

const DETAILS: Record<number, CarbonDetail> = {
  [YEAR_HOURS]: "month × hour of week",
  [WEEK_HOURS]: "hour of week",
};

const tenthsOf = (hours: ArrayLike<number>): Uint16Array =>
  Uint16Array.from(hours, (value) => Math.round(value * TENTHS));

/** The table of a profile with a validated shape. */
export function carbonTable({ yearly, hourOfWeek, source }: CarbonProfile): CarbonTable {
  const hours = typeof hourOfWeek === "string" ? unpackHours(hourOfWeek) : hourOfWeek?.flat();
  const tenths = tenthsOf(hours ?? []);
  return { yearly, tenths, detail: DETAILS[tenths.length] ?? "yearly mean only", source };
}
