import { existsSync } from "node:fs";
import type { CarbonFile, PlacesFile } from "../../src/bundle/catalog/catalog-files.ts";
import type { CarbonProfile } from "../../src/model/catalog.ts";
import { WEEK_HOURS, hourOfWeek } from "../../src/model/time.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

/** A national mean would be far off for these grids: better no figure than a wrong one. */
const UNLIKE_THEIR_COUNTRY = new Set(["CA-AB"]);

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const MONTHS = 12;
/** What the same hour of the week one month earlier or later counts, and the same hour of the day before and after. */
const NEXT_MONTH = 0.25;
const NEXT_DAY = 0.5;

interface Sums {
  sum: number;
  weight: number;
}

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

async function hourly(path: string): Promise<CarbonProfile> {
  const rows = await readCsv(path);
  const values = rows.map((row) => Number(field(row, "gco2_per_kwh")));
  // The series has no gaps: scripts/catalog/carbon-series-file.ts sees to that.
  const start = Date.parse(field(rows[0] ?? {}, "timestamp_utc")) / 1000;
  return {
    yearly: Math.round(mean(values)),
    hourOfWeek: monthlyHours(monthlySums(values, start)).map((week) => week.map(Math.round)),
    source: "Electricity Maps, hourly life-cycle series of 2022",
  };
}

function annual(zone: string, country: string, rows: { zones: Row[]; countries: Row[] }): CarbonProfile | null {
  const [newest] = rows.zones
    .filter((row) => field(row, "zone") === zone && field(row, "basis") === "lifecycle")
    .sort((a, b) => Number(field(b, "year")) - Number(field(a, "year")));
  if (newest) {
    return { yearly: Math.round(Number(field(newest, "gco2_per_kwh"))), hourOfWeek: null, source: `life-cycle mean of ${field(newest, "year")}` };
  }
  const national = rows.countries.find((row) => field(row, "country_iso2") === country);
  if (!national || UNLIKE_THEIR_COUNTRY.has(zone)) return null;
  const source = `mean of the whole country ${country} in ${field(national, "year")}, for want of a figure of the zone`;
  return { yearly: Math.round(Number(field(national, "gco2_per_kwh"))), hourOfWeek: null, source };
}

/** Carbon intensity of every electricity zone that feeds a place, life-cycle basis only. */
export async function carbonFile(data: string, { places }: PlacesFile): Promise<CarbonFile> {
  const rows = { zones: await readCsv(`${data}/carbon/annual_average.csv`), countries: await readCsv(`${data}/carbon/country_annual.csv`) };
  const countries = new Map(Object.values(places).flatMap((p) => (p.electricityZone === null ? [] : [[p.electricityZone, p.country] as const])));
  const zones: Record<string, CarbonProfile> = {};
  const unknown: string[] = [];
  for (const [zone, country] of [...countries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const path = `${data}/carbon/${zone}.csv`;
    const profile = existsSync(path) ? await hourly(path) : annual(zone, country, rows);
    if (profile) zones[zone] = profile;
    else unknown.push(zone);
  }
  return {
    about: "gCO2eq/kWh, life-cycle. hourOfWeek: for each month (January first) the mean of each hour of the week (UTC, Monday 00:00 first), with the months beside it (a quarter each) and the days beside it (half each); null where no hourly series is published.",
    dates: { "carbon profiles": "2022", "national carbon means": "2023" },
    unknown,
    zones,
  };
}
