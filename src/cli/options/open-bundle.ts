import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pullBundle } from "../../bundle/pull-bundle.ts";
import { LandfallError } from "../../errors.ts";
import { limitTime, unlimited } from "../../policy/limit-time.ts";
import { type LoadedBundles, loadBundles } from "../../policy/load-bundles.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { isOther } from "../../policy/read-other.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { Cli } from "../cli.ts";
import { defaultBundle } from "./default-bundle.ts";
import { type RegistryFlags, registryOf } from "./registry-options.ts";

interface Fetched {
  ref: string;
  bytes: Uint8Array;
}

type BundleFlags = { bundle?: string | readonly string[] } & RegistryFlags;

/** The project's own bundle, built on first use. */
async function ownBundle(cli: Cli): Promise<Fetched> {
  const cacheDir = join(defaultCacheFolder(cli.env), "bundles");
  const file = await defaultBundle({ root: cli.root, cacheDir, opa: () => toolPath("opa") });
  return { ref: "policies/bundle", bytes: await readFile(file) };
}

/**
 * Combines the bundles of `--bundle`: the platform's (by default the project's own), data images and bundles of teams,
 * in any order. `run` limits the time of their modules. Throws CLI_USAGE for two of the platform's, BUNDLE_TIMEOUT.
 */
export async function openBundles(
  cli: Cli,
  { bundle = [], ...flags }: BundleFlags,
  run = limitTime(),
): Promise<LoadedBundles> {
  const registry = await registryOf(cli, flags);
  const fetched = await Promise.all(
    [bundle].flat().map(async (ref) => ({ ref, bytes: (await pullBundle({ ...registry, ref })).bytes })),
  );
  const others = fetched.filter(({ bytes, ref }) => isOther(bytes, ref));
  const [platform, second] = fetched.filter((one) => !others.includes(one));
  if (second !== undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: `--bundle names two platform bundles, ${platform?.ref ?? ""} and ${second.ref}`,
    });
  const main = platform ?? (await ownBundle(cli));
  const expected = others.map((other) => ({ ...other, expected: null }));
  // The project's own rules do not loop, and the limit costs time for each object.
  return loadBundles(main, expected, { run: fetched.length > 0 ? run : unlimited });
}

/** What `openBundles` combines, as one bundle. Throws the same errors. */
export const openBundle = async (cli: Cli, flags: BundleFlags, run = limitTime()): Promise<LoadedBundle> =>
  (await openBundles(cli, flags, run)).bundle;
