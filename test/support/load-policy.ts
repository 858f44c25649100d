import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultBundle } from "../../src/cli/options/default-bundle.ts";
import { loadBundle } from "../../src/policy/load-bundle.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The file of the project's own bundle, built by the real opa at the first call. */
export const policyFile = (): Promise<string> =>
  defaultBundle({ root, cacheDir: join(tmpdir(), "landfall-test-bundles"), opa: () => toolPath("opa") });

/** The project's own bundle. */
export async function loadPolicy(): Promise<LoadedBundle> {
  return loadBundle(await readFile(await policyFile()), "policies/bundle");
}
