import type { InstanceTypesFile, OutliersFile } from "../catalog-files.ts";
import { findOutliers, type Outlier } from "./find-outliers.ts";

const ABOUT =
  "Published prices that cannot be true and that instance-types.json has as null: `unit` is in another unit, `elsewhere` is below 0.4 or above 3 " +
  "times the lower quartile of the type's prices, `series` is more than a fifth above other sizes of the series in the same place, `family` is far " +
  "from its family there. Each line: the published price, and the one that the rule expected.";

type Found = Record<string, Record<string, Record<string, Record<string, [price: number, expected: number | null]>>>>;

/** By provider, rule, region and type, as outliers.json has them. */
export function listOutliers(outliers: readonly Outlier[]): OutliersFile["outliers"] {
  const found: Found = {};
  for (const { provider, rule, region, type, price, expected } of outliers)
    (((found[provider] ??= {})[rule] ??= {})[region] ??= {})[type] = [price, expected];
  return found;
}

/**
 * The machine types without the prices that cannot be true, which become unknown, and the list of them. `isNew`: whether a price is one
 * that may be omitted (default: all). Pure.
 */
export function omitOutliers(
  file: InstanceTypesFile,
  isNew: (outlier: Outlier) => boolean = () => true,
): { instanceTypes: InstanceTypesFile; outliers: OutliersFile } {
  const outliers = findOutliers(file).filter(isNew);
  const keys = new Set(outliers.map(({ provider, type, region }) => `${provider} ${type} ${region}`));
  const providers = Object.entries(file.providers).map(([provider, { regions, types, ...rest }]) => {
    const kept = Object.entries(types).map(([type, facts]) => {
      const prices = facts.prices.map((price, column) => (keys.has(`${provider} ${type} ${regions[column] ?? ""}`) ? null : price));
      return [type, { ...facts, prices }] as const;
    });
    return [provider, { regions, ...rest, types: Object.fromEntries(kept) }] as const;
  });
  return {
    instanceTypes: { ...file, providers: Object.fromEntries(providers) },
    outliers: { about: ABOUT, dates: file.dates, outliers: listOutliers(outliers) },
  };
}
