import type { CarbonDetail, CarbonProfile, CarbonTable } from "../places/catalog.ts";
import { YEAR_HOURS } from "./packed-hours.ts";
import { WEEK_HOURS } from "../time.ts";

const TENTHS = 10;

const DETAILS: Record<number, CarbonDetail> = {
  [YEAR_HOURS]: "month × hour of week",
  [WEEK_HOURS]: "hour of week",
};

/** A loop: `Uint16Array.from` takes ten times as long. */
function tenthsOf(hours: ArrayLike<number>): Uint16Array {
  const tenths = new Uint16Array(hours.length);
  for (let hour = 0; hour < hours.length; hour += 1) tenths[hour] = Math.round((hours[hour] ?? 0) * TENTHS);
  return tenths;
}

/** The table of a profile whose hours are unpacked. */
export function tableOfHours(
  { yearly, source }: Pick<CarbonProfile, "yearly" | "source">,
  hours: ArrayLike<number>,
): CarbonTable {
  const tenths = tenthsOf(hours);
  return { yearly, tenths, detail: DETAILS[tenths.length] ?? "yearly mean only", source };
}
