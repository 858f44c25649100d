import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";

function unreadable(thrown: unknown): never {
  throw new LandfallError("BUNDLE_BUILD", { detail: messageOf(thrown) }, thrown);
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(unreadable);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.sort();
}

/**
 * SHA-256 (16 hex digits) over names and contents of the files below `folders`: the revision of bundles made of equal sources.
 * Throws BUNDLE_BUILD for a folder that cannot be read.
 */
export async function sourcesHash(folders: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const file of await filesOf(folder)) {
      hash
        .update(relative(folder, file))
        .update("\0")
        .update(await readFile(file).catch(unreadable))
        .update("\0");
    }
  }
  return hash.digest("hex").slice(0, 16);
}
