import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { posix } from "node:path";

const RELATIVE_IMPORT = /\bfrom "(\.{1,2}\/[^"]+)"/g;

/** A file and every file below `inside` that it imports, from paths to texts. */
async function readImports(file: string, inside: string, found: Map<string, string>): Promise<void> {
  if (found.has(file) || !file.startsWith(`${inside}/`)) return;
  const text = await readFile(file, "utf8");
  found.set(file, text);
  const folder = posix.dirname(file);
  for (const [, target = ""] of text.matchAll(RELATIVE_IMPORT))
    await readImports(posix.normalize(posix.join(folder, target)), inside, found);
}

/**
 * `sha256:…` of what a generated file follows from: a script with all that it imports from its folder, other files, and the
 * generated text itself, so that a change by hand is found too. Imports from other folders are types and constants that all
 * of the project shares; with them, the hash would change each week. All paths are relative to the project's root, with slashes.
 */
export async function hashInputs(script: string, dataFiles: readonly string[], text: string): Promise<string> {
  const sources = new Map<string, string>();
  await readImports(script, posix.dirname(script), sources);
  const hash = createHash("sha256");
  for (const [path, source] of [...sources].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\n${String(source.length)}\n${source}`);
  for (const path of dataFiles) hash.update(`${path}\n`).update(await readFile(path));
  return `sha256:${hash.update(text).digest("hex")}`;
}
