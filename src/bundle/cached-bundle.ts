import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { access, mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { sha256 } from "../model/sha256.ts";
import type { BuildBundleOptions } from "./build-bundle.ts";
import { sourcesHash } from "./sources-hash.ts";

export interface CachedBundle {
  /** The project's folder, with the code of the build. */
  root: string;
  /** Folder of the policies; capabilities.json of the WASM runtime lies next to it. */
  source: string;
  /** Folder of the catalog's files. */
  catalog: string;
  /** Built bundles are cached here, by the hash of their sources and of their build. */
  cacheDir: string;
  /** The pinned version of opa. */
  opaVersion: string;
  /** Finds opa; called only if there is something to build. */
  opa: () => Promise<string>;
}

/** Further inputs of a bundle's bytes: the build's code, the capabilities of the WASM runtime, the pinned opa. */
async function builderHash({ root, source, opaVersion }: CachedBundle): Promise<string> {
  const sources = [join(root, "src/bundle"), join(root, "src/model/bundle-format")];
  // The npm package has compiled code.
  const code = sourcesHash(existsSync(sources[0] ?? "") ? sources : [join(root, "dist")]);
  const capabilities = await readFile(join(dirname(source), "capabilities.json"), "utf8").catch((thrown: unknown) => {
    throw new LandfallError("BUNDLE_BUILD", { detail: messageOf(thrown) }, thrown);
  });
  return sha256(JSON.stringify([code, capabilities, opaVersion])).slice(0, 16);
}

/** Writes next to `output` and renames: an interrupted or concurrent build leaves no partial file. */
async function buildWhole(options: BuildBundleOptions): Promise<void> {
  // Loaded here, since few calls build anything.
  const { buildBundle } = await import("./build-bundle.ts");
  const partial = `${options.output}.${randomUUID()}`;
  try {
    await buildBundle({ ...options, output: partial });
    await rename(partial, options.output);
  } finally {
    await rm(partial, { force: true });
  }
}

/**
 * Policies and catalog as a bundle file: built at the first use, then cached by the hashes in its name. Its revision is the
 * hash of its sources. Throws BUNDLE_BUILD, BUNDLE_DATA.
 */
export async function cachedBundle(options: CachedBundle): Promise<string> {
  const { source, catalog, cacheDir, opa } = options;
  const revision = sourcesHash([source, catalog]);
  const output = join(cacheDir, `${revision}-${await builderHash(options)}.tar.gz`);
  try {
    await access(output);
  } catch {
    await mkdir(cacheDir, { recursive: true });
    await buildWhole({ opa: await opa(), source, catalog, output, revision });
  }
  return output;
}
