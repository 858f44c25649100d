import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defaultBundle } from "../../src/cli/options/default-bundle.ts";
import { loadBundle } from "../../src/policy/load-bundle.ts";
import type { PolicyResult } from "../../src/model/policy.ts";
import type { LoadedBundles } from "../../src/policy/load-bundles.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

let file: Promise<string> | undefined;
let policy: Promise<LoadedBundle> | undefined;

/** The file of the project's own bundle, built by the real opa at the first call. */
export const policyFile = (): Promise<string> =>
  (file ??= defaultBundle({ root, cacheDir: join(tmpdir(), "landfall-test-bundles"), opa: () => toolPath("opa") }));

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

/** Its results cannot be changed: a bundle gives the same result to all requests with the same answer. */
const withFrozenResults = (bundle: LoadedBundle): LoadedBundle => ({
  ...bundle,
  evaluate: (input) => freeze(bundle.evaluate(input)),
});

/** The project's own bundle. The files of one worker share it: it never changes. */
export const loadPolicy = (): Promise<LoadedBundle> =>
  (policy ??= policyFile()
    .then((path) => readFile(path))
    .then((bytes) => loadBundle(bytes, "policies/bundle"))
    .then(withFrozenResults));

/** The same policy with other limits of scheduling. */
export const withSchedule = (policy: LoadedBundle, schedule: Partial<PolicyResult["schedule"]>): LoadedBundle => ({
  ...policy,
  evaluate: (input) => {
    const result = policy.evaluate(input);
    return { ...result, schedule: { ...result.schedule, ...schedule } };
  },
});

/** The tarball of this policy, as what loads it elsewhere takes it. */
export async function policyTarballs(): Promise<LoadedBundles["tarballs"]> {
  const ref = await policyFile();
  return { platform: { bytes: await readFile(ref), ref }, others: [] };
}
