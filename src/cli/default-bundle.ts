import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle } from "../bundle/build-bundle.ts";

async function filesOf(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** SHA-256 (16 hex digits) over names and contents of the files below `dirs`. */
async function hashOf(root: string, dirs: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await Promise.all(dirs.map(filesOf))).flat()) {
    hash
      .update(file.slice(root.length))
      .update("\0")
      .update(await readFile(file))
      .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

export interface DefaultBundle {
  /** The project's folder. */
  root: string;
  /** Built bundles are kept here, by the hash of their sources. */
  cacheDir: string;
  opa: () => Promise<string>;
}

/** The project's own policies and catalog as a bundle file: built at the first use, then found by the hash of its sources. */
export async function defaultBundle({ root, cacheDir, opa }: DefaultBundle): Promise<string> {
  const source = join(root, "policies", "bundle");
  const catalog = join(root, "catalog");
  const revision = await hashOf(root, [source, catalog]);
  const output = join(cacheDir, `${revision}.tar.gz`);
  try {
    await access(output);
  } catch {
    await mkdir(cacheDir, { recursive: true });
    await buildBundle({ opa: await opa(), source, catalog, output, revision });
  }
  return output;
}
