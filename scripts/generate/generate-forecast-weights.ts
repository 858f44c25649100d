import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { readCarbonSeries } from "../../src/simulate/read-carbon-series.ts";
import { learnSharedWeights } from "../../src/forecast/learn-shared-weights.ts";
import type { GenerateOptions } from "../generate.ts";
import { hashInputs } from "./hash-inputs.ts";
import { keepClose } from "./keep-close.ts";

const PATH = "catalog/forecast-weights.json";
const LEARNING = "src/forecast/learn-shared-weights.ts";
const YEAR = 2022;
const SERIES = `catalog/carbon-hourly-${String(YEAR)}.json.gz`;

/** One row a line: 23 of 16 numbers are read by their row and column. */
const format = (about: object, weights: readonly (readonly number[])[]): string =>
  `${JSON.stringify({ ...about, weights: [] }).slice(0, -2)}\n${weights.map((row) => `  ${JSON.stringify(row)}`).join(",\n")}\n]}\n`;

const HASH = /"inputs":"sha256:[0-9a-f]{64}"/;

const withoutHash = (text: string): string => text.replace(HASH, '"inputs":""');

/** The text with the hash of what it was made of. */
async function withHash(text: string): Promise<string> {
  const plain = withoutHash(text);
  const read = [SERIES, "src/simulate/read-carbon-series.ts", "scripts/generate/generate-forecast-weights.ts"];
  return plain.replace('"inputs":""', `"inputs":"${await hashInputs(LEARNING, read, plain)}"`);
}

const weightsOf = (text: string): number[][] | null =>
  text === "" ? null : (JSON.parse(text) as { weights: number[][] }).weights;

/**
 * What the embedded forecast makes of measured hours, learned from the catalog's hourly series: it needs no other file.
 * Learning takes several seconds, so what follows from the same inputs is not learned again.
 */
export async function generateForecastWeights({ check }: GenerateOptions): Promise<string[]> {
  const before = existsSync(PATH) ? await readFile(PATH, "utf8") : "";
  if (HASH.test(before) && before === (await withHash(before))) return [];
  const series = await readCarbonSeries(".", YEAR);
  const about = {
    description:
      "weights of the embedded forecast: a row for each bucket of leads, a column for each figure of src/forecast/pool-zone.ts",
    source: `learned from ${SERIES}, ${String(series.size)} zones`,
    inputs: "",
  };
  const learned = learnSharedWeights([...series.values()].map(({ values }) => values));
  const text = await withHash(format(about, keepClose(weightsOf(before), learned)));
  // A change of the code that leaves the weights as they are is none of the file.
  if (before === text || (check && withoutHash(before) === withoutHash(text))) return [];
  if (!check) await writeFile(PATH, text);
  return [PATH];
}
