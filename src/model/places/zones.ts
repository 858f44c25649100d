import file from "../../../catalog/zones.json" with { type: "json" };
import { ownValue } from "../json.ts";
import { table } from "../table.ts";

interface Zones {
  usual: readonly string[];
  regions: Readonly<Record<string, readonly string[]>>;
}

const ZONES: Readonly<Record<string, Zones>> = table(file.zones);

/** How a provider names a zone of a region: Azure by its number alone. */
const NAMES: Readonly<Record<string, (region: string, zone: string) => string>> = table({
  azure: (_region, zone) => zone,
  aws: (region, zone) => region + zone,
  gcp: (region, zone) => `${region}-${zone}`,
});

/** The name of a zone by its letter or number; null at a provider that has no zones. */
export const zoneName = (provider: string, region: string, zone: string): string | null =>
  ownValue(NAMES, provider)?.(region, zone) ?? null;

/**
 * A zone that cannot have this machine, now or later. Letters of AWS's zones are those of an account, so that one may lack us-west-1a
 * (boto/boto, issue 1904; Coalfire-Research/npk, issue 10); a type is not sold in each zone of its region (skyplane-project/skyplane, issue 172; keras-team/kinetic,
 * issue 305).
 */
const UNUSABLE =
  /\bfor parameter availabilityZone is invalid\b|\bis not supported in your requested Availability Zone\b|\bdoes not exist in zone\b|\bInvalid machine type "[^"]{1,100}" in zone\b/;

/** Whether a provider's message says that its zone cannot have the machine. */
export const isUnusableZone = (message: string): boolean => UNUSABLE.test(message);

/** The availability zones of a region, by their names; null if they are not known. */
export function zonesOf(provider: string, region: string): string[] | null {
  const known = ownValue(ZONES, provider);
  if (known === undefined) return null;
  const zones = ownValue(known.regions, region) ?? known.usual;
  return zones.flatMap((zone) => zoneName(provider, region, zone) ?? []);
}
