import { existsSync } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LandfallError, messageOf } from "../errors.ts";
import { cachedPath } from "./cache-paths.ts";
import { downloadTools } from "./download/download-tool.ts";
import { rememberUnreachable, unreachableHosts } from "./download/probe-hosts.ts";
import { releaseFiles } from "./download/release-files.ts";
import { goBuild } from "./go-build.ts";
import type { Toolchain, ToolSource, ToolSpec } from "./tool-spec.ts";
import { withLock } from "./with-lock.ts";

type Specs = [ToolSpec, ...ToolSpec[]];
type Made = Extract<ToolSource, "downloaded" | "built">;

const MODES = ["auto", "download", "build"] as const;
type Mode = (typeof MODES)[number];

function modeOf(env: NodeJS.ProcessEnv): Mode {
  const value = env["LANDFALL_TOOLS"] || "auto";
  const mode = MODES.find((one) => one === value);
  if (mode === undefined) throw new LandfallError("TOOL_SETTING", { value });
  return mode;
}

const isCached = (spec: ToolSpec, chain: Toolchain): boolean => existsSync(cachedPath(chain.cacheFolder, spec));

const hostOf = (spec: ToolSpec): string | null => {
  const files = releaseFiles(spec);
  return files === null ? null : new URL(files.url).host;
};

/** Downloads the programs if their host answers. Returns why not, or null when they are in `folder`. */
async function tryDownload(
  specs: Specs,
  known: readonly ToolSpec[],
  folder: string,
  chain: Toolchain,
): Promise<string | null> {
  const host = hostOf(specs[0]);
  if (host === null) return "no release is named for this machine";
  const hosts = new Set(known.map(hostOf).filter((one) => one !== null));
  if ((await unreachableHosts([...hosts], chain)).has(host)) return `${host} cannot be reached`;
  try {
    await downloadTools(specs, folder, chain);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof LandfallError)) throw thrown;
    if (thrown.code === "TOOL_UNREACHABLE") await rememberUnreachable(host, chain);
    return messageOf(thrown);
  }
}

async function build(specs: Specs, folder: string, chain: Toolchain, noDownload: string | null): Promise<Made> {
  try {
    await goBuild(specs, folder, chain);
    return "built";
  } catch (thrown) {
    if (noDownload === null || !(thrown instanceof LandfallError) || thrown.code !== "TOOL_MISSING") throw thrown;
    const { name, version } = specs[0];
    const detail = `${String(thrown.params["detail"])}; ${noDownload}`;
    throw new LandfallError("TOOL_MISSING", { tool: name, version, detail }, thrown);
  }
}

/** Puts the programs into `folder`, the way that LANDFALL_TOOLS says. */
async function make(specs: Specs, known: readonly ToolSpec[], folder: string, chain: Toolchain): Promise<Made> {
  const mode = modeOf(chain.env);
  // A program without a release can only be built.
  if (mode === "build" || specs[0].release === undefined) return build(specs, folder, chain, null);
  if (mode === "download") {
    await downloadTools(specs, folder, chain);
    return "downloaded";
  }
  const downloads = await mkdtemp(join(folder, "files-"));
  const reason = await tryDownload(specs, known, downloads, chain);
  if (reason !== null) {
    chain.progress.write(`${specs.map(({ name }) => name).join(", ")}: not downloaded: ${reason}\n`);
    return build(specs, folder, chain, reason);
  }
  for (const { output } of specs) await rename(join(downloads, output), join(folder, output));
  return "downloaded";
}

/** Whether a process that was only paused for long may still write into the folder: then another one broke its lock. */
function isInUse(name: string): boolean {
  const [, pid] = /^build-([0-9]+)-/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    return process.kill(Number(pid), 0);
  } catch (thrown) {
    // That of another user (EPERM) runs, too.
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Removes the folders of processes that were killed. */
async function removeLeftovers(cacheFolder: string): Promise<void> {
  const names = await readdir(cacheFolder);
  const left = names.filter((name) => name.startsWith("build-") && !isInUse(name));
  await Promise.all(left.map(async (name) => rm(join(cacheFolder, name), { recursive: true, force: true })));
}

/** Gives a finished program its name in the cache: there is never a part of one under it. */
async function moveIn(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  const folder = await open(dirname(to));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function makeAndMove(specs: Specs, known: readonly ToolSpec[], chain: Toolchain): Promise<Made> {
  await removeLeftovers(chain.cacheFolder);
  // Next to the target, so that the rename stays within one file system.
  const folder = await mkdtemp(join(chain.cacheFolder, `build-${String(process.pid)}-`));
  try {
    const made = await make(specs, known, folder, chain);
    for (const spec of specs) await moveIn(join(folder, spec.output), cachedPath(chain.cacheFolder, spec));
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Makes sure that the programs of one Go module are in the cache; returns where they came from. `known`: all that are pinned.
 * One build at a time on a machine: `go build` fills every core alone, and the linker needs gigabytes.
 */
export async function provideModule(specs: Specs, known: readonly ToolSpec[], chain: Toolchain): Promise<ToolSource> {
  await mkdir(chain.cacheFolder, { recursive: true });
  const provide = async (): Promise<ToolSource> =>
    specs.every((spec) => isCached(spec, chain)) ? "cache" : makeAndMove(specs, known, chain);
  const names = specs.map((spec) => spec.name).join(", ");
  return withLock(join(chain.cacheFolder, "lock"), provide, () => {
    chain.progress.write(`${names}: waiting for another process that provides Landfall's tools on this machine\n`);
  });
}
