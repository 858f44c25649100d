// Errors of each kind of climatology for hours outside its training data: each week of the recorded year against a table of
// all other weeks. `node bench/climatology.ts`
import { fileURLToPath } from "node:url";
import { monthlyHours } from "../src/bundle/catalog/refresh/merge-carbon.ts";
import { monthlySums } from "../src/bundle/catalog/monthly-sums.ts";
import { readCarbonSeries } from "../src/simulate/read-carbon-series.ts";
import type { HourlySeries } from "../src/model/places/intensity.ts";
import { HOUR_SECONDS, hourOfWeek, WEEK_HOURS } from "../src/model/time.ts";

const SHOWN = ["DE", "FR", "IT-NO", "SE-SE3", "GB", "US-CAL-CISO"];

type Sums = ReturnType<typeof monthlySums>;
type Table = number[][];

/** Each cell is the mean of all hours with the same key. */
function grouped(key: (month: number, hour: number) => number): (cells: Sums) => Table {
  return (cells) => {
    const groups = new Map<number, { sum: number; weight: number }>();
    for (const [month, week] of cells.entries()) {
      for (const [hour, cell] of week.entries()) {
        const { sum, weight } = groups.get(key(month, hour)) ?? { sum: 0, weight: 0 };
        groups.set(key(month, hour), { sum: sum + cell.sum, weight: weight + cell.weight });
      }
    }
    const meanOf = (at: number): number => (groups.get(at)?.sum ?? 0) / (groups.get(at)?.weight ?? 1);
    return cells.map((week, month) => week.map((_, hour) => meanOf(key(month, hour))));
  };
}

const KINDS: Record<string, (cells: Sums) => Table> = {
  "one mean for the year": grouped(() => 0),
  "hour of week": grouped((_, hour) => hour),
  "month × hour of day": grouped((month, hour) => month * 24 + (hour % 24)),
  "month × hour of week, alone": grouped((month, hour) => month * WEEK_HOURS + hour),
  "month × hour of week, with neighbours": monthlyHours,
};

const without = (all: Sums, part: Sums): Sums =>
  all.map((week, month) =>
    week.map(({ sum, weight }, hour) => {
      const left = part[month]?.[hour] ?? { sum: 0, weight: 0 };
      return { sum: sum - left.sum, weight: weight - left.weight };
    }),
  );

/** Mean absolute error of a kind over a zone's year, gCO2eq/kWh. */
function errorOf({ start, values }: HourlySeries, make: (cells: Sums) => Table): number {
  const all = monthlySums([...values], start);
  let sum = 0;
  for (let from = -hourOfWeek(start); from < values.length; from += WEEK_HOURS) {
    const begin = Math.max(0, from);
    const week = [...values.subarray(begin, from + WEEK_HOURS)];
    const table = make(without(all, monthlySums(week, start + begin * HOUR_SECONDS)));
    for (const [index, value] of week.entries()) {
      const time = start + (begin + index) * HOUR_SECONDS;
      sum += Math.abs(value - (table[new Date(time * 1000).getUTCMonth()]?.[hourOfWeek(time)] ?? 0));
    }
  }
  return sum / values.length;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const series = [...(await readCarbonSeries(root, 2022))];
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
console.log(
  `mean absolute error of ${String(series.length)} zones in gCO2eq/kWh, as a share of each zone's mean, some zones`,
);
for (const [name, make] of Object.entries(KINDS)) {
  const errors = series.map(([zone, one]) => ({ zone, error: errorOf(one, make), usual: mean([...one.values]) }));
  const shown = errors
    .filter(({ zone }) => SHOWN.includes(zone))
    .map(({ zone, error }) => `${zone} ${error.toFixed(1)}`);
  const share = mean(errors.map(({ error, usual }) => error / usual)) * 100;
  console.log(
    `${name.padEnd(38)} ${mean(errors.map(({ error }) => error)).toFixed(1)}  ${share.toFixed(1)} %  ${shown.join("  ")}`,
  );
}
