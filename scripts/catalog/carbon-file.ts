import { existsSync } from "node:fs";
import type { CarbonFile, PlacesFile } from "../../src/bundle/catalog/catalog-files.ts";
import type { CarbonProfile } from "../../src/model/places/catalog.ts";
import { monthlyHours } from "../../src/bundle/catalog/refresh/merge-carbon.ts";
import { monthlySums } from "../../src/bundle/catalog/monthly-sums.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

/** A national mean would be far off for these grids: better no figure than a wrong one. */
const UNLIKE_THEIR_COUNTRY = new Set(["CA-AB"]);

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

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
