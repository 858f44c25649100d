import type { CatalogTables } from "./catalog-tables.ts";

/** The date of a place's prices; null if the catalog does not say. */
export const priceDate = ({ priceDates }: CatalogTables, provider: string, column: number): string | null =>
  priceDates?.[provider]?.[column] || null;
