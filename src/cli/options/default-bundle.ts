import { existsSync } from "node:fs";
import { join } from "node:path";
import { cachedBundle } from "../../bundle/cached-bundle.ts";
import { pinnedVersion } from "../../toolchain/resolve-tool.ts";

export interface DefaultBundle {
  /** The project's folder. */
  root: string;
  /** Built bundles are cached here, by the hash of their sources and of their build. */
  cacheDir: string;
  opa: () => Promise<string>;
}

/** The project's own policies and catalog as a bundle file: the npm package brings it along, a clone builds it at the first use. */
export async function defaultBundle({ root, ...rest }: DefaultBundle): Promise<string> {
  const packaged = join(root, "bundle.tar.gz");
  if (existsSync(packaged)) return packaged;
  return cachedBundle({
    ...{ root, source: join(root, "policies", "bundle"), catalog: join(root, "catalog") },
    ...{ opaVersion: pinnedVersion("opa", join(root, "tools")), ...rest },
  });
}
