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

/** The project's own policies and catalog as a bundle file, built at the first use. */
export const defaultBundle = ({ root, ...rest }: DefaultBundle): Promise<string> =>
  cachedBundle({
    ...{ root, source: join(root, "policies", "bundle"), catalog: join(root, "catalog") },
    ...{ opaVersion: pinnedVersion("opa", join(root, "tools")), ...rest },
  });
