import { hourOfWeek, WEEK_HOURS } from "../../model/time.ts";

export const MONTHS = 12;

/** Values of an hour of the week in a month. */
export interface Sums {
  sum: number;
  weight: number;
}

/** Sums of measured hours by month and hour of the week, UTC. `start`: seconds since 1970 of the first. */
export function monthlySums(values: readonly number[], start: number): Sums[][] {
  const cells = Array.from({ length: MONTHS }, () => Array.from({ length: WEEK_HOURS }, (): Sums => ({ sum: 0, weight: 0 })));
  for (const [index, value] of values.entries()) {
    const time = start + index * 3600;
    const cell = cells[new Date(time * 1000).getUTCMonth()]?.[hourOfWeek(time)];
    if (cell === undefined) continue;
    cell.sum += value;
    cell.weight += 1;
  }
  return cells;
}
