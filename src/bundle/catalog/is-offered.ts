import type { CatalogType } from "./catalog-files.ts";

/** Whether a type is offered in the region of a column, with or without a known price. */
export const isOffered = ({ prices }: Pick<CatalogType, "prices">, column: number): boolean =>
  prices[column] !== undefined && prices[column] !== -1;
