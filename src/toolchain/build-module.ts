import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { cachedPath } from "./cache-paths.ts";
import { goBuild } from "./go-build.ts";
import type { Toolchain, ToolSpec } from "./tool-spec.ts";
import { withLock } from "./with-lock.ts";

const isBuilt = (spec: ToolSpec, chain: Toolchain): boolean => existsSync(cachedPath(chain.cacheFolder, spec));

/** Under the lock, every build folder belongs to a process that was killed. */
async function removeLeftovers(cacheFolder: string): Promise<void> {
  const names = await readdir(cacheFolder);
  const left = names.filter((name) => name.startsWith("build-"));
  await Promise.all(left.map(async (name) => rm(join(cacheFolder, name), { recursive: true, force: true })));
}

async function buildAndMove(specs: [ToolSpec, ...ToolSpec[]], chain: Toolchain): Promise<void> {
  await removeLeftovers(chain.cacheFolder);
  // Next to the target, so that the rename stays within one file system.
  const folder = await mkdtemp(join(chain.cacheFolder, "build-"));
  try {
    await goBuild(specs, folder, chain);
    for (const spec of specs) {
      const path = cachedPath(chain.cacheFolder, spec);
      await mkdir(dirname(path), { recursive: true });
      await rename(join(folder, spec.output), path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes sure that the programs of one Go module are in the cache; returns whether they were built just now.
 * One build at a time on a machine: `go build` fills every core alone, and the linker needs gigabytes.
 */
export async function buildModule(specs: [ToolSpec, ...ToolSpec[]], chain: Toolchain): Promise<boolean> {
  await mkdir(chain.cacheFolder, { recursive: true });
  const build = async (): Promise<boolean> => {
    if (specs.every((spec) => isBuilt(spec, chain))) return false;
    await buildAndMove(specs, chain);
    return true;
  };
  const names = specs.map((spec) => spec.name).join(", ");
  return withLock(join(chain.cacheFolder, "lock"), build, () => {
    chain.progress.write(`${names}: waiting for another build of Landfall's tools on this machine\n`);
  });
}
