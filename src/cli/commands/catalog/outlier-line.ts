import type { Outlier } from "../../../bundle/catalog/sanity/find-outliers.ts";

/** An outlier for people. */
export const outlierLine = ({ rule, provider, region, type, price, expected }: Outlier): string =>
  `${provider}/${region} ${type}: ${String(price)} USD/h${expected === null ? "" : `, expected about ${String(expected)}`} (${rule})`;
