import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatCatalog } from "../../../../bundle/catalog/format-catalog.ts";
import { LandfallError, messageOf } from "../../../../errors.ts";

/** Writes a catalog into a folder: the files of `base`, some of them with new content. Throws BUNDLE_DATA. */
export async function saveCatalog(base: string, folder: string, changed: Record<string, unknown>): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    if (base !== folder) await cp(base, folder, { recursive: true });
    for (const [name, content] of Object.entries(changed)) await writeFile(join(folder, name), formatCatalog(content));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_DATA", { ref: folder, detail: messageOf(thrown) }, thrown);
  }
}
