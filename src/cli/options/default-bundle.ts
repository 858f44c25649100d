import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { buildBundle } from "../../bundle/build-bundle.ts";
import { sourcesHash } from "../../bundle/sources-hash.ts";

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
  const revision = await sourcesHash([source, catalog]);
  const output = join(cacheDir, `${revision}.tar.gz`);
  try {
    await access(output);
  } catch {
    await mkdir(cacheDir, { recursive: true });
    await buildBundle({ opa: await opa(), source, catalog, output, revision });
  }
  return output;
}
