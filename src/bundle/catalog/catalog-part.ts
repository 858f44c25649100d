import { placesHash } from "../../model/catalog.ts";
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

const TABLES: Record<
  CatalogPart,
  { files: (keyof CatalogFiles)[]; tables: (keyof BundleCatalog)[]; ordered: boolean }
> = {
  carbon: { files: ["carbon"], tables: ["carbon"], ordered: false },
  latency: { files: ["latency"], tables: ["latency"], ordered: true },
  // The cheapest types are computed when the tables are built, so prices are never replaced alone.
  prices: {
    files: ["instanceTypes"],
    tables: ["types", "typeIds", "gpuIds", "choices", "cellRows", "cells"],
    ordered: true,
  },
};

/** One part of the catalog in the form of a data image. Pure. */
export function catalogPart(part: CatalogPart, catalog: BundleCatalog, files: CatalogFiles): ImageContent {
  const { files: names, tables, ordered } = TABLES[part];
  return {
    roots: tables.map((table) => `landfall/catalog/${table}`),
    data: { landfall: { catalog: Object.fromEntries(tables.map((table) => [table, catalog[table]])) } },
    dates: datesOf(names.map((name) => files[name])),
    places: ordered ? placesHash(catalog.places.map(({ key }) => key)) : null,
  };
}
