import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { readCarbonSeries } from "../../src/simulate/read-carbon-series.ts";
import { learnSharedWeights } from "../../src/forecast/learn-shared-weights.ts";
import type { GenerateOptions } from "../generate.ts";

const PATH = "catalog/forecast-weights.json";
const YEAR = 2022;

/** One row a line: 23 of 16 numbers are read by their row and column. */
const format = (about: object, weights: readonly (readonly number[])[]): string =>
  `${JSON.stringify({ ...about, weights: [] }).slice(0, -2)}\n${weights.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]}\n`;

/** What the embedded forecast makes of measured hours, learned from the catalog's hourly series: it needs no other file. */
export async function generateForecastWeights({ check }: GenerateOptions): Promise<string[]> {
  const series = await readCarbonSeries(".", YEAR);
  const about = {
    description:
      "weights of the embedded forecast: a row for each bucket of leads, a column for each figure of src/forecast/pool-zone.ts",
    source: `learned from catalog/carbon-hourly-${String(YEAR)}.json.gz, ${String(series.size)} zones`,
  };
  const text = format(about, learnSharedWeights([...series.values()].map(({ values }) => values)));
  const before = existsSync(PATH) ? await readFile(PATH, "utf8") : "";
  if (before === text) return [];
  if (!check) await writeFile(PATH, text);
  return [PATH];
}
