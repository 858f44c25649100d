import { readFile } from "node:fs/promises";
import { LandfallError, messageOf } from "../../errors.ts";
import { jsonFault } from "../../model/file-faults/parse-json.ts";
import type { CatalogFiles } from "./catalog-files.ts";

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch((thrown: unknown) => {
    throw new LandfallError("BUNDLE_DATA", { ref: path, detail: messageOf(thrown) }, thrown);
  });
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new LandfallError("BUNDLE_DATA", { ref: path, detail: jsonFault(text, thrown) }, thrown);
  }
}

/** Reads the catalog's files from the folder `catalog`. Throws BUNDLE_DATA for a file that is missing or not JSON. */
export async function readCatalog(catalog: string): Promise<CatalogFiles> {
  const [places, residency, latency, instanceTypes, elemento, carbon, power, kubernetes] = await Promise.all(
    ["places", "residency", "latency", "instance-types", "elemento", "carbon", "power", "kubernetes"].map((name) =>
      readJson(`${catalog}/${name}.json`),
    ),
  );
  return { places, residency, latency, instanceTypes, elemento, carbon, power, kubernetes } as CatalogFiles;
}
