export const TOOL_NAMES = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kubectl",
  "helm",
  "opa",
  "crane",
  "cosign",
  "actionlint",
  "prometheus",
  "promtool",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** Which other versions do the same job; docs/internals/toolchain.md gives the reasons. */
export type Compatibility = "same-minor" | "same-major-not-older";

/** One program of tools/tools.json, with what it has in common with the others of its Go module. */
export interface ToolSpec {
  name: ToolName;
  version: string;
  /** Folder below tools/ that holds go.mod and go.sum. */
  folder: string;
  /** Go package of the program. */
  package: string;
  /** File name that `go build` gives it. */
  output: string;
  /** Arguments that make it print its version. */
  versionCommand: string[];
  compatible: Compatibility;
  /** `-X` settings of the linker, with {version}, {major} and {minor} to fill in. */
  stamp: string[];
  /** Go build tags, by which parts are omitted; none if omitted. */
  tags?: string;
  /** Only long tests need it, so `npm run tools` does not build it; false if omitted. */
  onDemand?: boolean;
}

/** The source of a program. */
export type ToolSource = "KUBEBUILDER_ASSETS" | "PATH" | "cache" | "built";

export interface ResolvedTool {
  name: ToolName;
  version: string;
  source: ToolSource;
  path: string;
}

/** The parts from outside that resolving a tool needs; all of it has defaults in `tool-path.ts`. */
export interface Toolchain {
  env: NodeJS.ProcessEnv;
  /** Folder with tools.json and the Go modules. */
  toolsFolder: string;
  cacheFolder: string;
  /** The output for progress. */
  progress: { isTTY?: boolean; write(text: string): unknown };
}
