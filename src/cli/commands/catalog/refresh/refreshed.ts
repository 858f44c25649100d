import type { CatalogFiles } from "../../../../bundle/catalog/catalog-files.ts";

/** A catalog with new figures in one of its parts. */
export interface Refreshed {
  files: CatalogFiles;
  /** Places or zones that were asked for, and those of them that keep their earlier figures. */
  asked: number;
  kept: number;
  /** For JSON and YAML. */
  report: object;
  /** For a terminal. */
  text: (isWide: boolean) => string;
  /** Name of a file of the catalog -> its new content. */
  changed: Record<string, unknown>;
}
