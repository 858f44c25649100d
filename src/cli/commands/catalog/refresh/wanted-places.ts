import type { CatalogFiles } from "../../../../bundle/catalog/catalog-files.ts";
import { LandfallError } from "../../../../errors.ts";
import { nearest } from "../../../../model/text/nearest.ts";
import { requireName } from "../../../options/require-name.ts";

/** The variable with the key for Google's price list. */
export const GOOGLE_KEY = "LANDFALL_GOOGLE_API_KEY";

export interface Wanted {
  /** Provider -> regions whose prices are asked for. */
  regions: Map<string, string[]>;
  /** Whether Google's prices are omitted for want of a key. */
  withoutGcp: boolean;
}

interface Filter {
  provider?: string[];
  place?: string[];
}

/** Elemento and other providers publish no price list. */
const LISTED = ["azure", "aws", "gcp"];

function check({ places }: CatalogFiles["places"], { provider = [], place = [] }: Filter): void {
  for (const name of provider)
    requireName("--provider", name, { what: "a provider with a price list", names: LISTED });
  const names = Object.keys(places).filter((key) => LISTED.includes(key.split("/")[0] ?? ""));
  const expected = { what: "a place of the catalog with a price list", names, otherwise: "provider/region, e.g. azure/italynorth" };
  for (const name of place) requireName("--place", name, { ...expected, find: (text) => nearest(text, names) });
}

/** Whether a filter names Google, not only all providers. */
const namesGoogle = ({ provider = [], place = [] }: Filter): boolean =>
  provider.includes("gcp") || place.some((key) => key.startsWith("gcp/"));

/** The places whose prices are asked for. Throws CLI_UNKNOWN_NAME, PRICES_KEY if Google is named and there is no key. */
export function wantedPlaces({ places, instanceTypes }: CatalogFiles, filter: Filter, hasKey: boolean): Wanted {
  check(places, filter);
  const { provider = LISTED, place } = filter;
  const chosen = Object.entries(instanceTypes.providers).flatMap(([name, table]) => {
    const wanted = table.regions.filter((region) => place?.includes(`${name}/${region}`) ?? true);
    return LISTED.includes(name) && provider.includes(name) && wanted.length > 0 ? [[name, wanted] as const] : [];
  });
  const regions = new Map(chosen);
  const withoutGcp = regions.has("gcp") && !hasKey;
  if (withoutGcp && namesGoogle(filter)) throw new LandfallError("PRICES_KEY", { detail: `${GOOGLE_KEY} is not set` });
  if (withoutGcp) regions.delete("gcp");
  if (regions.size === 0)
    throw new LandfallError("CLI_USAGE", { detail: "--provider and --place name no place together" });
  return { regions, withoutGcp };
}
