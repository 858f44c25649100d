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

/** The availability zones of a region, by their names; null if they are not known. */
export function zonesOf(provider: string, region: string): string[] | null {
  const known = ownValue(ZONES, provider);
  if (known === undefined) return null;
  const zones = ownValue(known.regions, region) ?? known.usual;
  return zones.flatMap((zone) => zoneName(provider, region, zone) ?? []);
}
