import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { sha256 } from "../model/sha256.ts";

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
  const parts: (string | Buffer)[] = [];
  for (const folder of folders)
    for (const file of await filesOf(folder))
      parts.push(relative(folder, file), "\0", await readFile(file).catch(unreadable), "\0");
  return sha256(Buffer.concat(parts.map((part) => Buffer.from(part)))).slice(0, 16);
}
