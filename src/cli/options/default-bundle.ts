import { randomUUID } from "node:crypto";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle, type BuildBundleOptions } from "../../bundle/build-bundle.ts";
import { sourcesHash } from "../../bundle/sources-hash.ts";
import { sha256 } from "../../model/sha256.ts";
import { readManifest } from "../../toolchain/resolve-tool.ts";

export interface DefaultBundle {
  /** The project's folder. */
  root: string;
  /** Built bundles are cached here, by the hash of their sources and of their build. */
  cacheDir: string;
  opa: () => Promise<string>;
}

/** Further inputs of a bundle's bytes: the build's code, the capabilities of the WASM runtime, the pinned opa. */
async function builderHash(root: string): Promise<string> {
  const code = await sourcesHash([join(root, "src/bundle"), join(root, "src/model/bundle-format")]);
  const capabilities = await readFile(join(root, "policies/capabilities.json"), "utf8");
  const opa = readManifest(join(root, "tools")).find(({ name }) => name === "opa")?.version;
  return sha256(JSON.stringify([code, capabilities, opa])).slice(0, 16);
}

/** Writes next to `output` and renames: an interrupted or concurrent build leaves no partial file. */
async function buildWhole(options: BuildBundleOptions): Promise<void> {
  const partial = `${options.output}.${randomUUID()}`;
  try {
    await buildBundle({ ...options, output: partial });
    await rename(partial, options.output);
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * The project's own policies and catalog as a bundle file: built at the first use, then cached by the hashes in its
 * name.
 */
export async function defaultBundle({ root, cacheDir, opa }: DefaultBundle): Promise<string> {
  const source = join(root, "policies", "bundle");
  const catalog = join(root, "catalog");
  const revision = await sourcesHash([source, catalog]);
  const output = join(cacheDir, `${revision}-${await builderHash(root)}.tar.gz`);
  try {
    await access(output);
  } catch {
    await mkdir(cacheDir, { recursive: true });
    await buildWhole({ opa: await opa(), source, catalog, output, revision });
  }
  return output;
}
