import { fileURLToPath } from "node:url";
import { defaultCacheFolder } from "./cache-paths.ts";
import { resolveTool } from "./resolve-tool.ts";
import type { Toolchain, ToolName } from "./tool-spec.ts";

/** The environment of this process, the project's tools/ folder, the user's cache, progress on standard error. */
export function defaultToolchain(options: Partial<Toolchain> = {}): Toolchain {
  const env = options.env ?? process.env;
  return {
    env,
    toolsFolder: options.toolsFolder ?? fileURLToPath(new URL("../../tools", import.meta.url)),
    cacheFolder: options.cacheFolder ?? defaultCacheFolder(env),
    progress: options.progress ?? process.stderr,
  };
}

/**
 * The absolute path of a pinned program; builds it when it is nowhere (minutes, with progress on standard error).
 * Errors: TOOL_MISSING when it is nowhere and there is no Go, TOOL_BUILD.
 */
export async function toolPath(name: ToolName, options: Partial<Toolchain> = {}): Promise<string> {
  return (await resolveTool(name, defaultToolchain(options))).path;
}
