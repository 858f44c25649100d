import { allowedFamilies } from "./build-bundle.ts";
import { assembleData } from "./catalog/assemble-data.ts";
import type { CatalogFiles } from "./catalog/catalog-files.ts";
import { type CatalogPart, catalogPart, type ImageContent } from "./catalog/catalog-part.ts";

/** A part of these files for a data image, with the families of types that the policies in `source` allow. Throws BUNDLE_DATA, BUNDLE_BUILD. */
export const partContent = async (part: CatalogPart, files: CatalogFiles, source: string): Promise<ImageContent> =>
  catalogPart(part, assembleData(files, await allowedFamilies(source)), files);
