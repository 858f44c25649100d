import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { OutliersFile } from "../../../bundle/catalog/catalog-files.ts";
import { LandfallError, messageOf } from "../../../errors.ts";
import { isObject } from "../../../model/json.ts";

const NONE: OutliersFile = { about: "", dates: {}, outliers: {} };

/** The catalog's outliers.json; an empty list for a catalog without the file. Throws BUNDLE_DATA. */
export async function readOutliers(folder: string): Promise<OutliersFile> {
  const ref = join(folder, "outliers.json");
  try {
    const file: unknown = JSON.parse(await readFile(ref, "utf8"));
    return isObject(file) && isObject(file["outliers"]) ? (file as unknown as OutliersFile) : NONE;
  } catch (thrown) {
    if (isObject(thrown) && thrown["code"] === "ENOENT") return NONE;
    throw new LandfallError("BUNDLE_DATA", { ref, detail: messageOf(thrown) }, thrown);
  }
}
