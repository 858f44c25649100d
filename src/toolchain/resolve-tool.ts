import { existsSync, readdirSync, readFileSync, accessSync, constants, statSync } from "node:fs";
import { join, delimiter, isAbsolute } from "node:path";
import { LandfallError } from "../errors.ts";
import { sha256 } from "../model/sha256.ts";
import { cachedPath } from "./cache-paths.ts";
import type {
  ResolvedTool,
  Toolchain,
  ToolName,
  ToolRelease,
  ToolSpec,
  Compatibility,
  ToolSource,
} from "./tool-spec.ts";
import { installedVersion, isCompatible } from "./installed-version.ts";

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
async function findInstalled(spec: ToolSpec, chain: Toolchain): Promise<ResolvedTool | null> {
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

interface ManifestModule {
  folder: string;
  version: string;
  compatible: Compatibility;
  release?: ToolRelease;
  stamp: string[];
  tags?: string;
  onDemand?: boolean;
  /** Its source is part of this project. */
  own?: boolean;
  tools: { name: ToolName; package: string; output: string; versionCommand: string[] }[];
}

/** A digest of what a Go module of this project is built from. */
function sourceDigest(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^go\.(mod|sum)$/.test(name) || /(?<!_test)\.go$/.test(name));
  return sha256(
    files
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), "utf8")].join("\n"))
      .join("\n"),
  ).slice(0, 12);
}

/** Every program that tools/tools.json pins. The file is part of the project, so its shape is trusted. */
export function readManifest(toolsFolder: string): ToolSpec[] {
  const text = readFileSync(join(toolsFolder, "tools.json"), "utf8");
  const { modules } = JSON.parse(text) as { modules: ManifestModule[] };
  return modules.flatMap(({ tools, own = false, ...shared }) => {
    const source = own ? { source: sourceDigest(join(toolsFolder, shared.folder)) } : {};
    return tools.map((tool) => ({ ...shared, ...source, ...tool }));
  });
}

/** The version of a program that tools/tools.json pins; empty if it pins none. */
export const pinnedVersion = (name: ToolName, toolsFolder: string): string =>
  readManifest(toolsFolder).find((one) => one.name === name)?.version ?? "";

function specOf(name: ToolName, specs: ToolSpec[]): [ToolSpec, ...ToolSpec[]] {
  const spec = specs.find((one) => one.name === name);
  if (!spec)
    throw new LandfallError("TOOL_MISSING", { tool: name, version: "", detail: "tools/tools.json does not pin it" });
  return [spec, ...specs.filter((one) => one.folder === spec.folder && one !== spec)];
}

/**
 * A compatible program of KUBEBUILDER_ASSETS or the PATH, otherwise the cached one, otherwise downloads it, or builds it
 * with Go. Errors: TOOL_MISSING, TOOL_BUILD, TOOL_DOWNLOAD, TOOL_UNREACHABLE, TOOL_SETTING.
 */
export async function resolveTool(name: ToolName, chain: Toolchain): Promise<ResolvedTool> {
  const known = readManifest(chain.toolsFolder);
  const [spec, ...siblings] = specOf(name, known);
  // Another program of that name may be of another version of this project.
  const installed = spec.source === undefined ? await findInstalled(spec, chain) : null;
  if (installed) return installed;
  const path = cachedPath(chain.cacheFolder, spec);
  const resolved = { name, version: spec.version, path };
  if (existsSync(path)) return { ...resolved, source: "cache" };
  // Loaded here, since few calls download or build anything.
  const { provideModule } = await import("./provide-module.ts");
  return { ...resolved, source: await provideModule([spec, ...siblings], known, chain) };
}
