import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildBundle, type BuiltBundle } from "../../../src/bundle/build-bundle.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";

export const SOURCE = "policies/bundle";
export const CATALOG = "catalog";

/** The project's bundle in a separate folder, with a function that removes it. */
export async function builtBundle(): Promise<
  BuiltBundle & { bytes: Buffer; folder: string; remove: () => Promise<void> }
> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-test-"));
  const output = join(folder, "bundle.tar.gz");
  const built = await buildBundle({
    opa: await toolPath("opa"),
    source: SOURCE,
    catalog: CATALOG,
    output,
    revision: "test",
  });
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { ...built, bytes: await readFile(output), folder, remove };
}
