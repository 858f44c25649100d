import type { CarbonProfile, PowerModel } from "../../model/places/catalog.ts";
import type { PlaceKey } from "../../model/workload.ts";

/** The common fields of all files of catalog/. */
interface CatalogHead {
  about: string;
  /** source name -> date of its data */
  dates: Record<string, string>;
}

export interface CatalogPlace {
  provider: string;
  region: string;
  display: string;
  /** ISO 3166-1 alpha-2 */
  country: string;
  latitude: number | null;
  longitude: number | null;
  electricityZone: string | null;
  /** The availability zone to set if the provider requires one; null if it does not. */
  zone: string | null;
  /** The provider behind Elemento, and its name of the region. */
  elemento?: { provider: string; region: string };
}

export interface PlacesFile extends CatalogHead {
  places: Record<PlaceKey, CatalogPlace>;
}

export interface ResidencyFile extends CatalogHead {
  /** area -> countries */
  areas: Record<string, string[]>;
  /** Every known country, with or without a place in it. */
  countries: string[];
  /** Countries with an adequacy decision under conditions, for information. */
  partial: Record<string, string>;
}

/** How a round-trip time is known; the index is what latency.json writes. */
export const LATENCY_SOURCES = ["unknown", "local", "measured", "reversed", "measured-p95", "estimated"] as const;

export interface LatencyFile extends CatalogHead {
  sources: string[];
  fits: unknown;
  /** origin -> round trips to every place, in the order of places.json */
  from: Record<PlaceKey, { ms: (number | null)[]; source: number[] }>;
}

export interface CatalogType {
  family: string;
  class: "standard" | "burstable";
  arch: "amd64" | "arm64";
  vcpus: number;
  memoryGiB: number;
  /** Price in the provider's first region: the sort order of types without a published price in a region. */
  reference: number | null;
  /** A running machine of this type is changed into types of the same group only. Omitted where the provider has no such groups. */
  resizeGroup?: string;
  /** Only on types of the family `gpu`. */
  gpus?: number;
  /** By region: price, null (offered, price not published) or -1 (not offered). */
  prices: (number | null)[];
  /** By region: the spot price, null where it is not known. Optional: the shipped catalog has none. */
  spotPrices?: (number | null)[];
}

export interface ProviderTypes {
  regions: string[];
  /** By region: the date of its prices. Optional: `dates` of the file has those of all. */
  priceDates?: string[];
  types: Record<string, CatalogType>;
}

export interface InstanceTypesFile extends CatalogHead {
  providers: Record<string, ProviderTypes>;
}

/** Prices that were published and are omitted: see sanity/. */
export interface OutliersFile extends CatalogHead {
  /** provider -> rule -> region -> type -> the published price and the expected one, USD per hour */
  outliers: Record<string, Record<string, Record<string, Record<string, [price: number, expected: number | null]>>>>;
}

/** The family of every type with GPUs. Settings cannot allow it: only pools of a cluster can have GPUs. */
export const GPU_FAMILY = "gpu";

/** Maintained by hand: the GPUs of machine types, by provider. */
export interface GpusFile extends CatalogHead {
  gpus: Record<string, Record<string, number>>;
}

/** Maintained by hand: the Kubernetes versions of each provider with the last day of support. */
export interface KubernetesFile extends CatalogHead {
  versions: Record<string, Record<string, { end: string | null }>>;
}

/** Maintained by hand: the types of each family, and omitted types with the reason. The first match applies. */
export interface FamiliesFile extends CatalogHead {
  families: Record<string, { match: string; family: string; class?: "standard" | "burstable"; excluded?: string }[]>;
}

/** Maintained by hand: the types that a provider changes into each other. The first match applies; without a group, those of the series. */
export interface ResizeGroupsFile extends CatalogHead {
  sources: Record<string, string>;
  groups: Record<string, { match: string; group: string | null; source: string }[]>;
}

export interface ElementoFile extends CatalogHead {
  /** Policies read the sizes; Elemento's operator reads the other fields too. */
  flavours: Record<string, { vcpus: number; memoryGiB: number }>;
}

export interface CarbonFile extends CatalogHead {
  /** Zones of places without data. */
  unknown: string[];
  zones: Record<string, CarbonProfile>;
}

export interface PowerFile extends CatalogHead, PowerModel {
  sources: string[];
}

/** The whole catalog, file by file. */
export interface CatalogFiles {
  places: PlacesFile;
  residency: ResidencyFile;
  latency: LatencyFile;
  instanceTypes: InstanceTypesFile;
  elemento: ElementoFile;
  carbon: CarbonFile;
  kubernetes: KubernetesFile;
  power: PowerFile;
}
