import { stat } from "node:fs/promises";
import { CATALOG_PARTS, type CatalogPart } from "../../../bundle/catalog/catalog-part.ts";
import { LandfallError } from "../../../errors.ts";
import { nearest } from "../../../model/text/nearest.ts";

/** Whether the value of --data is a part of the catalog, and not a folder. */
export const isPart = (what: string): what is CatalogPart => (CATALOG_PARTS as readonly string[]).includes(what);

/** Checks the value of --data: a part of the catalog, or a folder. Throws CLI_UNKNOWN_NAME. */
export async function checkData(what: string): Promise<void> {
  if (isPart(what) || (await stat(what).catch(() => null))?.isDirectory() === true) return;
  const near = nearest(what, CATALOG_PARTS);
  const advice = near === null ? `one of ${CATALOG_PARTS.join(", ")}, or a folder` : `--data ${near}`;
  const about = { option: "--data", actual: what, what: "a part of the catalog or a folder", advice };
  throw new LandfallError("CLI_UNKNOWN_NAME", about);
}
