import { type Dated, datesText } from "./dates-text.ts";

/** The key of each provider in the `dates` of instance-types.json. */
const KEYS: Readonly<Record<string, string>> = {
  azure: "types and prices of Azure",
  aws: "prices of AWS",
  gcp: "types and prices of GCP",
};
/** The `dates` of instance-types.json after the prices of a provider changed. Dates of its types stay. Pure. */
export function datedSources(
  dates: Readonly<Record<string, string>>,
  provider: string,
  regions: readonly Dated[],
): Record<string, string> {
  const key = KEYS[provider] ?? `prices of ${provider}`;
  const prices = datesText(regions);
  if (!key.startsWith("types")) return { ...dates, [key]: prices };
  const [, types = "unknown"] = /^(?:types )?([\d-]+)/.exec(dates[key] ?? "") ?? [];
  return { ...dates, [key]: `types ${types}, prices ${prices}` };
}
