import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { installedVersion } from "./installed-version.ts";
import { isCompatible } from "./is-compatible.ts";
import type { ResolvedTool, Toolchain, ToolSource, ToolSpec } from "./tool-spec.ts";

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function folders(env: NodeJS.ProcessEnv): [ToolSource, string][] {
  const assets = env["KUBEBUILDER_ASSETS"];
  const path = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const onPath = path.map((folder): [ToolSource, string] => ["PATH", folder]);
  return assets ? [["KUBEBUILDER_ASSETS", assets], ...onPath] : onPath;
}

/** The first program of that name in KUBEBUILDER_ASSETS and on the PATH whose version is compatible, or null. */
export async function findInstalled(spec: ToolSpec, chain: Toolchain): Promise<ResolvedTool | null> {
  const tried = new Set<string>();
  for (const [source, folder] of folders(chain.env)) {
    const path = join(folder, spec.name);
    if (tried.has(path) || !isExecutable(path)) continue;
    tried.add(path);
    const version = await installedVersion(path, spec.versionCommand, chain.cacheFolder);
    if (version && isCompatible(version, spec.version, spec.compatible))
      return { name: spec.name, version, source, path };
  }
  return null;
}
