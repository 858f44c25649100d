import { table } from "../table.ts";

/**
 * The places of cities that people name instead of a region. AWS and Google Cloud name the city of a region themselves; that of an Azure
 * region is its "physical location" in https://learn.microsoft.com/azure/reliability/regions-list.
 */
const CITIES: Readonly<Record<string, readonly string[]>> = table({
  amsterdam: ["azure/westeurope", "gcp/europe-west4"],
  bangkok: ["aws/ap-southeast-7", "gcp/asia-southeast3"],
  berlin: ["azure/germanynorth", "gcp/europe-west10", "elemento/ionos-de-txl"],
  brussels: ["azure/belgiumcentral", "gcp/europe-west1"],
  "cape town": ["aws/af-south-1", "azure/southafricawest"],
  dublin: ["azure/northeurope", "aws/eu-west-1", "elemento/ovh-ie-dublin"],
  frankfurt: [
    ...["azure/germanywestcentral", "aws/eu-central-1", "gcp/europe-west3"],
    ...["elemento/ovh-de-frankfurt", "elemento/ionos-de-fra"],
  ],
  geneva: ["azure/switzerlandwest"],
  "hong kong": ["azure/eastasia", "aws/ap-east-1", "gcp/asia-east2"],
  jakarta: ["azure/indonesiacentral", "aws/ap-southeast-3", "gcp/asia-southeast2"],
  johannesburg: ["azure/southafricanorth", "gcp/africa-south1"],
  lisbon: ["elemento/gigas-lisbon"],
  london: ["azure/uksouth", "aws/eu-west-2", "gcp/europe-west2", "elemento/ovh-gb-london", "elemento/ionos-gb-lhr"],
  madrid: ["azure/spaincentral", "gcp/europe-southwest1"],
  marseille: ["azure/francesouth"],
  melbourne: ["azure/australiasoutheast", "aws/ap-southeast-4", "gcp/australia-southeast2"],
  milan: ["azure/italynorth", "aws/eu-south-1", "gcp/europe-west8"],
  mumbai: ["azure/westindia", "aws/ap-south-1", "gcp/asia-south1", "elemento/ovh-in-mumbai"],
  osaka: ["azure/japanwest", "aws/ap-northeast-3", "gcp/asia-northeast2"],
  oslo: ["azure/norwayeast"],
  paris: ["azure/francecentral", "aws/eu-west-3", "gcp/europe-west9", "elemento/ovh-fr-paris", "elemento/ionos-fr-par"],
  "sao paulo": ["azure/brazilsouth", "aws/sa-east-1", "gcp/southamerica-east1"],
  seoul: ["azure/koreacentral", "aws/ap-northeast-2", "gcp/asia-northeast3"],
  singapore: ["azure/southeastasia", "aws/ap-southeast-1", "gcp/asia-southeast1", "elemento/ovh-sg-singapore"],
  stockholm: ["aws/eu-north-1", "gcp/europe-north2"],
  sydney: ["azure/australiaeast", "aws/ap-southeast-2", "gcp/australia-southeast1", "elemento/ovh-au-sydney"],
  "tel aviv": ["aws/il-central-1", "gcp/me-west1"],
  tokyo: ["azure/japaneast", "aws/ap-northeast-1", "gcp/asia-northeast1"],
  toronto: ["azure/canadacentral", "gcp/northamerica-northeast2", "elemento/ovh-ca-toronto"],
  turin: ["gcp/europe-west12"],
  vienna: ["azure/austriaeast"],
  warsaw: ["azure/polandcentral", "gcp/europe-central2", "elemento/ovh-pl-warsaw"],
  zurich: ["azure/switzerlandnorth", "aws/eu-central-2", "gcp/europe-west6"],
});

/** The codes of the countries of these cities. */
const COUNTRIES: Readonly<Record<string, string>> = table({
  ...{ amsterdam: "NL", bangkok: "TH", berlin: "DE", brussels: "BE", "cape town": "ZA", dublin: "IE", frankfurt: "DE" },
  ...{ geneva: "CH", "hong kong": "HK", jakarta: "ID", johannesburg: "ZA", lisbon: "PT", london: "GB", madrid: "ES" },
  ...{ marseille: "FR", melbourne: "AU", milan: "IT", mumbai: "IN", osaka: "JP", oslo: "NO", paris: "FR" },
  ...{ "sao paulo": "BR", seoul: "KR", singapore: "SG", stockholm: "SE", sydney: "AU", "tel aviv": "IL", tokyo: "JP" },
  ...{ toronto: "CA", turin: "IT", vienna: "AT", warsaw: "PL", zurich: "CH" },
});

/** The places of the cities of a country. */
export const placesOfCountry = (code: string): readonly string[] =>
  Object.entries(COUNTRIES).flatMap(([city, country]) => (country === code ? (CITIES[city] ?? []) : []));

/** The code of the country of a region whose city is known; null for another region. */
export function countryOfRegion(region: string): string | null {
  const [city] = Object.entries(CITIES).find(([, places]) => places.some((one) => one.endsWith(`/${region}`))) ?? [];
  return city === undefined ? null : (COUNTRIES[city] ?? null);
}

/** Other spellings of the same cities. */
const ALSO: Readonly<Record<string, string>> = table({
  "frankfurt am main": "frankfurt",
  ...{ francfort: "frankfurt", francoforte: "frankfurt", mailand: "milan", londres: "london" },
  lisboa: "lisbon",
  milano: "milan",
  torino: "turin",
  ...{ londra: "london", parigi: "paris", bruxelles: "brussels", brussel: "brussels", dublino: "dublin" },
  ...{ wien: "vienna", genf: "geneva", geneve: "geneva", ginevra: "geneva", zurigo: "zurich", warschau: "warsaw" },
  ...{ varsovie: "warsaw", varsavia: "warsaw", stoccolma: "stockholm", lisbonne: "lisbon", lissabon: "lisbon" },
  zuerich: "zurich",
});

/** `Zürich` as `zurich`, `sao-paulo` as `sao paulo`. */
const folded = (name: string): string =>
  name
    .normalize("NFD")
    .replaceAll(/\p{Mark}/gu, "")
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .trim();

/** The places (provider/region) of a city; empty for another text. */
export function placesOfCity(name: string): readonly string[] {
  const city = folded(name);
  return Object.hasOwn(CITIES, city) ? (CITIES[city] ?? []) : (CITIES[ALSO[city] ?? ""] ?? []);
}
