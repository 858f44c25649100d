import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isFile } from "../../bundle/is-file.ts";
import { LandfallError } from "../../errors.ts";
import { limitTime, unlimited } from "../../policy/module/limit-time.ts";
import { type LoadedBundles, loadBundles } from "../../policy/load-bundles.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { isOther } from "../../policy/read-other.ts";
import { regoSources } from "../../console/explanation/rego-sources.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import type { Cli } from "../cli.ts";
import { defaultBundle } from "./default-bundle.ts";
import { flagsFor, type RegistryFlags } from "./registry-options.ts";

interface Fetched {
  ref: string;
  bytes: Uint8Array;
}

interface BundleFlags extends RegistryFlags {
  bundle?: string | readonly string[];
  /** Whose platform bundle is used if `bundle` names none; default: the project's own. */
  platform?: readonly string[];
}

/** The project's own bundle, built on first use. */
async function ownBundle(cli: Cli): Promise<Fetched> {
  const cacheDir = join(defaultCacheFolder(cli.env), "bundles");
  // Loaded here, as below: only the first use builds the bundle.
  const opa = async (): Promise<string> => (await import("../../toolchain/tool-path.ts")).toolPath("opa");
  const file = await defaultBundle({ root: cli.root, cacheDir, opa });
  return { ref: "policies/bundle", bytes: await readFile(file) };
}

/** The bytes of a bundle: by file, reference, or folder of sources, which is built. */
async function fetchOne(cli: Cli, flags: RegistryFlags, ref: string): Promise<Fetched> {
  if (await isFile(ref)) return { ref, bytes: await readFile(ref) };
  // Loaded here: a file and the project's own bundle need neither a build nor a registry.
  const { bundleOfFolder } = await import("./bundle-of-folder.ts");
  const built = await bundleOfFolder(cli, ref);
  if (built !== null) return { ref, bytes: await readFile(built) };
  const { pullReference } = await import("./pull-reference.ts");
  return { ref, bytes: (await pullReference(cli, flagsFor(flags, ref), ref)).bytes };
}

const fetchAll = (cli: Cli, refs: readonly string[], flags: RegistryFlags): Promise<Fetched[]> =>
  Promise.all(refs.map((ref) => fetchOne(cli, flags, ref)));

/** Separates the platform's bundle from the others. Throws CLI_USAGE for two. */
function divide(fetched: readonly Fetched[]): { platform: Fetched | undefined; others: Fetched[] } {
  const others = fetched.filter(({ bytes, ref }) => isOther(bytes, ref));
  const [platform, second] = fetched.filter((one) => !others.includes(one));
  if (second !== undefined)
    throw new LandfallError("CLI_USAGE", {
      detail: `--bundle names two platform bundles, ${platform?.ref ?? ""} and ${second.ref}`,
    });
  return { platform, others };
}

/**
 * Combines the bundles of `--bundle`: the platform's (by default the project's own), data images and bundles of teams,
 * in any order. `run` limits the time of their modules. Throws CLI_USAGE for two of the platform's, BUNDLE_TIMEOUT.
 */
export async function openBundles(
  cli: Cli,
  { bundle = [], platform: base = [], ...flags }: BundleFlags,
  run = limitTime(),
): Promise<LoadedBundles> {
  const { platform, others } = divide(await fetchAll(cli, [bundle].flat(), flags));
  const fallback = platform === undefined ? divide(await fetchAll(cli, base, flags)).platform : undefined;
  const given = platform ?? fallback;
  const expected = others.map((other) => ({ ...other, expected: null }));
  // The project's own rules do not loop, and the limit costs time for each object.
  const isOwn = given === undefined && others.length === 0;
  return loadBundles(given ?? (await ownBundle(cli)), expected, { run: isOwn ? unlimited : run });
}

/** The sources of the rules of a platform's bundle, by path: the project's own if `bundle` names none. Throws as `openBundles` does. */
export async function bundleSources(cli: Cli, { bundle = [], ...flags }: BundleFlags): Promise<Map<string, string>> {
  const { platform } = divide(await fetchAll(cli, [bundle].flat(), flags));
  const { bytes, ref } = platform ?? (await ownBundle(cli));
  return regoSources(bytes, ref);
}

/** The combination of `openBundles` as one bundle. Throws the same errors. */
export const openBundle = async (cli: Cli, flags: BundleFlags, run = limitTime()): Promise<LoadedBundle> =>
  (await openBundles(cli, flags, run)).bundle;
