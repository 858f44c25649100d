import { access, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { cachedBundle } from "../../bundle/cached-bundle.ts";
import { LandfallError } from "../../errors.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import { pinnedVersion } from "../../toolchain/resolve-tool.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { Cli } from "../cli.ts";

/** The paths of policies in a folder: themselves, in a clone, in a bundle of `landfall scaffold`. */
const PLACES = [".", "policies/bundle", "bundle"];
const SETTINGS = "landfall/settings/data.yaml";

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The first of these paths that exists. */
async function firstOf(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await exists(path)) return path;
  return undefined;
}

/**
 * The bundle of a folder's policies, built at the first use: with the folder's own catalog, or the project's. Null if `folder`
 * is not a folder. Throws CLI_USAGE for one without policies, BUNDLE_BUILD.
 */
export async function bundleOfFolder(cli: Cli, folder: string): Promise<string | null> {
  const root = resolve(folder);
  if (!(await isFolder(root))) return null;
  const settings = await firstOf(PLACES.map((place) => join(root, place, SETTINGS)));
  if (settings === undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: `${folder} has no policies: none of ${PLACES.map((place) => join(place, SETTINGS)).join(", ")} is in it`,
    });
  const source = resolve(dirname(settings), "../..");
  const own = await firstOf([join(root, "catalog"), join(source, "../../catalog"), join(source, "../catalog")]);
  return cachedBundle({
    ...{ root: cli.root, source, catalog: own ?? join(cli.root, "catalog") },
    cacheDir: join(defaultCacheFolder(cli.env), "bundles"),
    opaVersion: pinnedVersion("opa", join(cli.root, "tools")),
    opa: () => toolPath("opa"),
  });
}
