import { glob, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { badInput, unusable } from "./read-documents.ts";

const MANIFEST = /\.(ya?ml|json)$/;
const PATTERN = /[*?[\]{}]/;

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && MANIFEST.test(entry.name));
  if (files.length === 0)
    throw badInput(
      folder,
      "the folder holds no file that ends in .yaml, .yml or .json",
      "give another folder, or a file",
    );
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort();
}

async function matching(pattern: string): Promise<string[]> {
  const found = (await Array.fromAsync(glob(pattern))).sort();
  if (found.length === 0) throw badInput(pattern, "no file has such a name", "check the pattern");
  return found;
}

async function expand(path: string): Promise<string[]> {
  if (path === "-") return [path];
  const found = await stat(path).catch((thrown: unknown) => {
    if (PATTERN.test(path)) return null;
    throw unusable(path, thrown);
  });
  if (found === null) return (await Promise.all((await matching(path)).map(expand))).flat();
  return found.isDirectory() ? filesOf(path) : [path];
}

/**
 * The files that paths name: files themselves, the manifests below folders, what matches patterns, and `-`; each once, in this
 * order. Throws CLI_INPUT for a path that names nothing.
 */
export async function listFiles(paths: readonly string[]): Promise<string[]> {
  return [...new Set((await Promise.all(paths.map(expand))).flat())];
}
