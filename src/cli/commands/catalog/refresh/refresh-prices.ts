import type { CatalogFiles, OutliersFile } from "../../../../bundle/catalog/catalog-files.ts";
import { mergePrices } from "../../../../bundle/catalog/refresh/merge-prices.ts";
import type { Cli } from "../../../cli.ts";
import { readOutliers } from "../read-outliers.ts";
import { fetchPriceLists } from "./fetch-price-lists.ts";
import { noteKept } from "./note-kept.ts";
import type { RefreshFlags } from "./refresh-options.ts";
import { refreshText, reportOf } from "./refresh-report.ts";
import type { Refreshed } from "./refreshed.ts";
import { GOOGLE_KEY, wantedPlaces } from "./wanted-places.ts";
import { listOutliers } from "../../../../bundle/catalog/sanity/omit-outliers.ts";
import { omitted } from "../../../../bundle/catalog/sanity/read-omitted.ts";

/** The outliers of a refresh, after the earlier ones of the places that were not renewed (`provider/region`). Pure. */
export function keepOutliers(earlier: OutliersFile, found: OutliersFile, renewed: ReadonlySet<string>): OutliersFile {
  const kept = omitted(earlier).filter(({ provider, region }) => !renewed.has(`${provider}/${region}`));
  return { ...found, outliers: listOutliers([...kept, ...omitted(found)]) };
}

/** The catalog of `folder` with the prices of the providers' lists. Throws PRICES_…, CLI_UNKNOWN_NAME. */
export async function refreshPrices(
  cli: Cli,
  { files, folder }: { files: CatalogFiles; folder: string },
  flags: RefreshFlags,
  nowMs: number,
): Promise<Refreshed> {
  const { regions, withoutGcp } = wantedPlaces(files, flags, cli.env[GOOGLE_KEY] !== undefined);
  if (withoutGcp) cli.note(`landfall: gcp keeps its earlier prices: ${GOOGLE_KEY} is not set\n`);
  const earlier = await readOutliers(folder);
  const merged = mergePrices(files.instanceTypes, await fetchPriceLists(cli, { files, regions, flags, nowMs }));
  const { instanceTypes, outliers, places } = merged;
  noteKept(
    cli,
    places.map(({ place, date, kept }) => ({ what: `${place} keeps its prices of ${date ?? "an unknown date"}`, kept })),
  );
  const renewed = new Set(places.flatMap(({ place, kept }) => (kept === null ? [place] : [])));
  const report = reportOf(merged);
  return {
    files: { ...files, instanceTypes },
    ...{ asked: places.length, kept: places.length - renewed.size, report, text: (isWide) => refreshText(report, isWide, cli) },
    changed: { "instance-types.json": instanceTypes, "outliers.json": keepOutliers(earlier, outliers, renewed) },
  };
}
