import { existsSync } from "node:fs";
import type { PlacesFile } from "../../src/bundle/catalog/catalog-files.ts";
import { HOUR_SECONDS } from "../../src/model/time.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

const START = Date.UTC(2022, 0, 1) / 1000;

interface SeriesFile {
  about: string;
  attribution: string;
  licence: string;
  dates: Record<string, string>;
  /** RFC 3339, the beginning of the first hour. */
  start: string;
  hours: number;
  zones: Record<string, { before: number | null; deltas: number[] }>;
}

/** Hundredths of a gram, each as the difference to the hour before: small numbers, which compress well. */
async function deltas(path: string): Promise<number[]> {
  const rows = await readCsv(path);
  const values = rows.map((row, index) => {
    const expected = START + index * HOUR_SECONDS;
    if (Date.parse(field(row, "timestamp_utc")) / 1000 !== expected) throw new Error(`${path}: a gap before row ${String(index + 2)}`);
    return Math.round(Number(field(row, "gco2_per_kwh")) * 100);
  });
  return values.map((value, index) => value - (values[index - 1] ?? 0));
}

/** The newest yearly mean that was known when 2022 began. */
function meanBefore(zone: string, rows: Row[]): number | null {
  const [newest] = rows
    .filter((row) => field(row, "zone") === zone && field(row, "basis") === "lifecycle" && Number(field(row, "year")) < 2022)
    .sort((a, b) => Number(field(b, "year")) - Number(field(a, "year")));
  return newest ? Number(Number(field(newest, "gco2_per_kwh")).toFixed(1)) : null;
}

/** The hourly series of 2022 of every electricity zone that feeds a place of the catalog. */
export async function carbonSeriesFile(data: string, { places }: PlacesFile): Promise<SeriesFile> {
  const years = await readCsv(`${data}/carbon/annual_average.csv`);
  const used = new Set(Object.values(places).flatMap(({ electricityZone }) => (electricityZone === null ? [] : [electricityZone])));
  const zones: SeriesFile["zones"] = {};
  for (const zone of [...used].sort()) {
    const path = `${data}/carbon/${zone}.csv`;
    if (existsSync(path)) zones[zone] = { before: meanBefore(zone, years), deltas: await deltas(path) };
  }
  return {
    about: "Carbon intensity by hour, gCO2eq/kWh, life-cycle. deltas: hundredths of a gram, the first absolute, each other the difference to the hour before. before: the mean of the newest year before 2022.",
    attribution: "Electricity Maps, by way of umassos/decarbonization-potential (EuroSys'24)",
    licence: "ODbL-1.0",
    dates: { "carbon, hourly": "2022" },
    start: "2022-01-01T00:00:00Z",
    hours: Math.max(...Object.values(zones).map((zone) => zone.deltas.length)),
    zones,
  };
}
