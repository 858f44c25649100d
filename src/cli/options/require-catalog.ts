import { stat } from "node:fs/promises";
import { join } from "node:path";
import { badInput } from "../objects/read-documents.ts";

/** Every catalog has it. */
const FILE = "places.json";

/** Checks that a folder is a catalog. Throws CLI_INPUT. */
export async function requireCatalog(folder: string): Promise<void> {
  if ((await stat(join(folder, FILE)).catch(() => null)) !== null) return;
  const isThere = (await stat(folder).catch(() => null)) !== null;
  const detail = isThere ? `it has no ${FILE}` : "there is no such folder";
  throw badInput(folder, detail, "give the folder of a catalog, as catalog/ of the project, or omit --catalog");
}
