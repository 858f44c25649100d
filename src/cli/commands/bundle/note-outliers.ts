import { findOutliers } from "../../../bundle/catalog/sanity/find-outliers.ts";
import { oddIntensities } from "../../../bundle/catalog/sanity/odd-intensities.ts";
import { readCatalog } from "../../../bundle/catalog/read-catalog.ts";
import type { Cli } from "../../cli.ts";
import { outlierLine } from "../catalog/outlier-line.ts";

/** `landfall catalog check` lists all. */
const SHOWN = 5;

/** Warns of figures in a catalog that cannot be true: a bundle with them is built, and decides by them. Throws BUNDLE_DATA. */
export async function noteOutliers(cli: Cli, catalog: string): Promise<void> {
  const { instanceTypes, carbon } = await readCatalog(catalog);
  const lines = [
    ...findOutliers(instanceTypes).map(outlierLine),
    ...oddIntensities(carbon).map(({ zone, yearly, detail }) => `${zone}: ${String(yearly)} gCO2eq/kWh ${detail}`),
  ];
  for (const line of lines.slice(0, SHOWN)) cli.note(`landfall: this figure cannot be true: ${line}\n`);
  if (lines.length > 0)
    cli.note(
      `landfall: ${String(lines.length)} of the figures of ${catalog} cannot be true; \`landfall catalog check --catalog ${catalog}\` lists them. Correct them, or set them to null\n`,
    );
}
