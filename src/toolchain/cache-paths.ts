import { homedir } from "node:os";
import { join } from "node:path";
import type { ToolSpec } from "./tool-spec.ts";

const GO_ARCH: Record<string, string> = { x64: "amd64", ia32: "386" };

/** This machine as Go names it. */
export const goPlatform = (): { os: string; arch: string } => ({
  os: process.platform === "win32" ? "windows" : process.platform,
  arch: GO_ARCH[process.arch] ?? process.arch,
});

/** `${XDG_CACHE_HOME:-~/.cache}/landfall/tools`: outside the checkout, so that clones share it. */
export function defaultCacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache"), "landfall", "tools");
}

/** The path of a built program. */
export function cachedPath(cacheFolder: string, spec: ToolSpec): string {
  const { os, arch } = goPlatform();
  const source = spec.source === undefined ? "" : `-${spec.source}`;
  return join(cacheFolder, `${spec.name}-${spec.version}${source}-${os}-${arch}`, spec.name);
}
