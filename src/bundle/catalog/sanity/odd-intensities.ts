import type { CarbonFile } from "../catalog-files.ts";

/** gCO2eq/kWh, life-cycle: no grid is cleaner than wind alone by much, or dirtier than old lignite. */
const PLAUSIBLE = { least: 5, most: 1300 };
/** The mean of a profile by hours, relative to the figure of the year. */
const AGREES = { least: 0.67, most: 1.5 };

/** An intensity that cannot be true. */
export interface OddIntensity {
  zone: string;
  /** gCO2eq/kWh */
  yearly: number;
  detail: string;
}

function faultOf(yearly: number, hours: readonly number[]): string | null {
  if (!(yearly >= PLAUSIBLE.least && yearly <= PLAUSIBLE.most))
    return `is not within ${String(PLAUSIBLE.least)} to ${String(PLAUSIBLE.most)} gCO2eq/kWh`;
  if (hours.length === 0) return null;
  const mean = hours.reduce((sum, one) => sum + one, 0) / hours.length;
  const ratio = mean / yearly;
  return ratio >= AGREES.least && ratio <= AGREES.most
    ? null
    : `does not agree with its hours, whose mean is ${mean.toPrecision(3)}`;
}

/** The zones whose figures contradict each other or lie outside of what grids emit. Pure. */
export const oddIntensities = ({ zones }: Pick<CarbonFile, "zones">): OddIntensity[] =>
  Object.entries(zones).flatMap(([zone, { yearly, hourOfWeek }]) => {
    const hours = Array.isArray(hourOfWeek) ? hourOfWeek.flat() : [];
    const detail = faultOf(yearly, hours);
    return detail === null ? [] : [{ zone, yearly, detail }];
  });
