import type { OutliersFile } from "../catalog-files.ts";
import { listOutliers } from "../sanity/omit-outliers.ts";
import { omitted } from "../sanity/read-omitted.ts";

/** The outliers of a refresh, after the earlier ones of the places that were not renewed (`provider/region`). Pure. */
export function keepOutliers(earlier: OutliersFile, found: OutliersFile, renewed: ReadonlySet<string>): OutliersFile {
  const kept = omitted(earlier).filter(({ provider, region }) => !renewed.has(`${provider}/${region}`));
  return { ...found, outliers: listOutliers([...kept, ...omitted(found)]) };
}
