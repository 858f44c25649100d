import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { carbonSeriesFile } from "../catalog/carbon-series-file.ts";
import { placesFile } from "../catalog/places-file.ts";
import type { GenerateOptions } from "../generate.ts";

const PATH = "catalog/carbon-hourly-2022.json.gz";

/** The hourly series that `landfall simulate` replays. It is no part of the policy bundle. */
export async function generateCarbonSeries({ data, check }: GenerateOptions): Promise<string[]> {
  if (!existsSync(`${data}/carbon/DE.csv`)) {
    console.log(
      `carbon-series: not generated, ${data}/carbon is absent; ${PATH} stays as it is (--data DIR names another folder)`,
    );
    return [];
  }
  const text = `${JSON.stringify(await carbonSeriesFile(data, await placesFile(data)))}\n`;
  // The content is compared and not the file: compressors differ between versions of Node.
  const before = existsSync(PATH) ? gunzipSync(await readFile(PATH)).toString("utf8") : "";
  if (before === text) return [];
  if (!check) await writeFile(PATH, gzipSync(text, { level: 9 }));
  return [PATH];
}
