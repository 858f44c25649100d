import type { CatalogPlace, PlacesFile } from "../../src/bundle/catalog/catalog-files.ts";
import { field, readCsv, type Row } from "./read-csv.ts";

const CLOUDS = new Set(["azure", "aws", "gcp"]);

/** Elemento sells machines of these providers; a place of it is named `<provider>-<its region>`. */
const ELEMENTO_PROVIDERS = new Set(["ovh", "ionos", "arubacloud", "gigas"]);

/** The zone that is named where the provider wants one and the user names none. */
function defaultZone(provider: string, region: string): string | null {
  if (provider === "aws") return `${region}a`;
  return provider === "gcp" ? `${region}-b` : null; // Every GCP region has a zone b; two have no zone a.
}

const rounded = (text: string): number | null => (text === "" ? null : Math.round(Number(text) * 10) / 10);

function place(row: Row): [string, CatalogPlace] {
  const source = field(row, "provider");
  const own = field(row, "region");
  const provider = CLOUDS.has(source) ? source : "elemento";
  const region = provider === "elemento" ? `${source}-${own.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}` : own;
  const entry: CatalogPlace = {
    provider,
    region,
    display: field(row, "display").replaceAll(/\s+/g, " "),
    country: field(row, "country_iso2"),
    latitude: rounded(field(row, "latitude")),
    longitude: rounded(field(row, "longitude")),
    electricityZone: field(row, "electricity_zone") || null,
    zone: defaultZone(provider, region),
  };
  if (provider === "elemento") entry.elemento = { provider: source, region: own };
  return [`${provider}/${region}`, entry];
}

/** Every public region of the three clouds and every zone of Elemento. */
export async function placesFile(data: string): Promise<PlacesFile> {
  const rows = (await readCsv(`${data}/regions.csv`)).filter(
    (row) => field(row, "partition") === "public" && (CLOUDS.has(field(row, "provider")) || ELEMENTO_PROVIDERS.has(field(row, "provider"))),
  );
  return {
    about: "Places that can be chosen. Coordinates in degrees, one decimal, of the town and not of the building; null where none is known.",
    dates: { "regions of Azure": "2026-08", "regions of AWS": "2026-10", "regions of GCP": "2026-08", "zones of Elemento": "2026-08" },
    places: Object.fromEntries(rows.map(place).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
