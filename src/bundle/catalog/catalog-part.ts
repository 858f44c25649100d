import { IMAGE_TABLES } from "../../model/bundle-format/other-bundle.ts";
import { placesHash } from "../../model/places/catalog.ts";
import { type BundleCatalog, datesOf } from "./assemble-data.ts";
import type { CatalogFiles } from "./catalog-files.ts";

/** Parts of the catalog that can be in a data image. */
export const CATALOG_PARTS = ["carbon", "latency", "prices"] as const;
export type CatalogPart = (typeof CATALOG_PARTS)[number];

/** Content of a data image. */
export interface ImageContent {
  roots: string[];
  data: Record<string, unknown>;
  /** Source -> date of its data. */
  dates: Record<string, string>;
  /** Hash of the list of places that its tables are ordered by; null if they are not. */
  places: string | null;
}

const SOURCES: Record<CatalogPart, { files: (keyof CatalogFiles)[]; ordered: boolean }> = {
  carbon: { files: ["carbon"], ordered: false },
  latency: { files: ["latency"], ordered: true },
  prices: { files: ["instanceTypes"], ordered: true },
};

/** One part of the catalog in the form of a data image. Pure. */
export function catalogPart(part: CatalogPart, catalog: BundleCatalog, files: CatalogFiles): ImageContent {
  const { files: names, ordered } = SOURCES[part];
  const tables: readonly (keyof BundleCatalog)[] = IMAGE_TABLES[part];
  return {
    roots: tables.map((table) => `landfall/catalog/${table}`),
    data: { landfall: { catalog: Object.fromEntries(tables.map((table) => [table, catalog[table]])) } },
    dates: datesOf(names.map((name) => files[name])),
    places: ordered ? placesHash(catalog.places.map(({ key }) => key)) : null,
  };
}
