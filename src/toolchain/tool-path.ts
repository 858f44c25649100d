import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cachedPath, defaultCacheFolder } from "./cache-paths.ts";
import { readManifest, resolveTool } from "./resolve-tool.ts";
import type { Network, Toolchain, ToolName } from "./tool-spec.ts";

/** Three seconds for all hosts are what a machine without a way to them loses. */
const defaultNetwork = (toolsFolder: string): Network => ({
  trustedRoot: join(toolsFolder, "sigstore-root.json"),
  ...{ probeMs: 3_000, connectMs: 3_000, idleMs: 15_000, fileMs: 300_000, bytes: 512 * 1024 * 1024 },
});

/** The environment of this process, the project's tools/ folder, the user's cache, progress on standard error. */
export function defaultToolchain(options: Partial<Toolchain> = {}): Toolchain {
  const env = options.env ?? process.env;
  const toolsFolder = options.toolsFolder ?? fileURLToPath(new URL("../../tools", import.meta.url));
  return {
    ...{ env, toolsFolder, network: options.network ?? defaultNetwork(toolsFolder) },
    cacheFolder: options.cacheFolder ?? defaultCacheFolder(env),
    progress: options.progress ?? process.stderr,
  };
}

/**
 * The absolute path of a pinned program; downloads or builds it when it is nowhere (seconds or minutes, with progress on
 * standard error).
 * Errors: TOOL_MISSING when it is nowhere and there is no Go, TOOL_BUILD, TOOL_DOWNLOAD, TOOL_UNREACHABLE, TOOL_SETTING.
 */
export async function toolPath(name: ToolName, options: Partial<Toolchain> = {}): Promise<string> {
  return (await resolveTool(name, defaultToolchain(options))).path;
}

/** The path of a program that an earlier call has downloaded or built; null if that would take time now. */
export function cachedToolPath(name: ToolName, options: Partial<Toolchain> = {}): string | null {
  const { toolsFolder, cacheFolder } = defaultToolchain(options);
  const spec = readManifest(toolsFolder).find((one) => one.name === name);
  const path = spec === undefined ? "" : cachedPath(cacheFolder, spec);
  return existsSync(path) ? path : null;
}
