import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { carbonFile } from "../catalog/carbon-file.ts";
import { formatCatalog } from "../../src/bundle/catalog/format-catalog.ts";
import { instanceTypesFile } from "../catalog/instance-types-file.ts";
import { latencyFile } from "../catalog/latency-file.ts";
import { placesFile } from "../catalog/places-file.ts";
import { residencyFile } from "../catalog/residency-file.ts";
import { omitOutliers } from "../../src/bundle/catalog/sanity/omit-outliers.ts";
import type { GenerateOptions } from "../generate.ts";

/** Catalog files that people write: families.json, gpus.json, kubernetes.json, elemento.json, power.json, zones.json, machine-zones.json. These are made from the raw figures. */
export async function generateCatalog({ data, check }: GenerateOptions): Promise<string[]> {
  if (!existsSync(`${data}/regions.csv`)) {
    console.log(
      `catalog: not generated, ${data}/regions.csv is absent; the committed files in catalog/ stay as they are (--data DIR names another folder)`,
    );
    return [];
  }
  const places = await placesFile(data);
  const { instanceTypes, outliers } = omitOutliers(await instanceTypesFile(data, places));
  const files: Record<string, unknown> = {
    "catalog/places.json": places,
    "catalog/residency.json": await residencyFile(data),
    "catalog/latency.json": await latencyFile(data, places),
    "catalog/instance-types.json": instanceTypes,
    "catalog/outliers.json": outliers,
    "catalog/carbon.json": await carbonFile(data, places),
  };
  const changed: string[] = [];
  for (const [path, content] of Object.entries(files)) {
    const text = formatCatalog(content);
    const before = existsSync(path) ? await readFile(path, "utf8") : "";
    if (before === text) continue;
    changed.push(path);
    if (!check) await writeFile(path, text);
  }
  return changed;
}
