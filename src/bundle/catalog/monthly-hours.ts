import { WEEK_HOURS } from "../../model/time.ts";
import { MONTHS, type Sums } from "./monthly-sums.ts";

/** What the same hour of the week one month earlier or later counts, and the same hour of the day before and after. */
const NEXT_MONTH = 0.25;
const NEXT_DAY = 0.5;

/**
 * Mean of an hour of the week in a month, with its neighbours: a month has but four or five of each. The weights are those with
 * the least error on weeks that were left out (bench/climatology.ts).
 */
export function monthlyHours(cells: readonly (readonly Sums[])[]): number[][] {
  const at = (month: number, hour: number): Sums => cells[(month + MONTHS) % MONTHS]?.[(hour + WEEK_HOURS) % WEEK_HOURS] ?? { sum: 0, weight: 0 };
  const near = [-1, 0, 1].flatMap((month) =>
    [-1, 0, 1].map((day) => ({ month, hours: day * 24, counts: (month === 0 ? 1 : NEXT_MONTH) * (day === 0 ? 1 : NEXT_DAY) })),
  );
  const smooth = (month: number, hour: number): number => {
    const parts = near.map((one) => ({ ...at(month + one.month, hour + one.hours), counts: one.counts }));
    const total = (of: "sum" | "weight"): number => parts.reduce((sum, part) => sum + part.counts * part[of], 0);
    return total("sum") / total("weight");
  };
  return Array.from({ length: MONTHS }, (_, month) => Array.from({ length: WEEK_HOURS }, (_, hour) => smooth(month, hour)));
}
