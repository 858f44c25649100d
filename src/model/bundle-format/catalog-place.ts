import type { PlaceKey } from "../workload.ts";

/** A place in `data.landfall.catalog.places` of a bundle. */
export interface CatalogPlace {
  key: PlaceKey;
  provider: string;
  region: string;
  country: string;
  electricityZone: string | null;
  /** The availability zone to set if the provider requires one. */
  zone: string | null;
  /** The names of all its availability zones. Omitted where they are not known, and in earlier bundles. */
  zones?: string[];
  /** Position in the prices of the provider's types. */
  column: number;
}
