export const TOOL_NAMES = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kubectl",
  "helm",
  "helm-worker",
  "opa",
  "crane",
  "cosign",
  "actionlint",
  "prometheus",
  "promtool",
  "oauth2-proxy",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** Which other versions do the same job; docs/internals/toolchain.md gives the reasons. */
export type Compatibility = "same-minor" | "same-major-not-older";

/** The keyless signature of a release's file, in one file or in two, and who must have made it. */
export type ToolSignature = { issuer: string; identity: string } & (
  | { bundle: string }
  | { signature: string; certificate: string }
);

/**
 * The files that a project publishes for a version, as addresses. Filled in are {version}, {tool}, {os} and {arch} as Go names them,
 * {machine} as `uname -m` does, and in all but the first {url}.
 */
export interface ToolRelease {
  /** The program, or a .tar.gz with it. */
  url: string;
  /** SHA-256: one alone, or lines of `sha256sum`. */
  checksum: string;
  /** The program's path in the .tar.gz; none if the file is the program. */
  member?: string;
  /** None if the project signs nothing that can be verified without a key ring. */
  signature?: ToolSignature;
}

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
  /** None if it is only built. */
  release?: ToolRelease;
  /** `-X` settings of the linker, with {version}, {major} and {minor} to fill in. */
  stamp: string[];
  /** Go build tags, by which parts are omitted; none if omitted. */
  tags?: string;
  /** Digest of its source, if that is part of this project: then only this build of it will do. */
  source?: string;
  /** Only long tests need it, so `npm run tools` does not build it; false if omitted. */
  onDemand?: boolean;
}

/** The source of a program. */
export type ToolSource = "KUBEBUILDER_ASSETS" | "PATH" | "cache" | "downloaded" | "built";

export interface ResolvedTool {
  name: ToolName;
  version: string;
  source: ToolSource;
  path: string;
}

/** How releases are downloaded. */
export interface Network {
  /** CAs in PEM besides Node's own; none if omitted. */
  ca?: string;
  /** File with sigstore's root of trust, a trusted_root.json. */
  trustedRoot: string;
  /** Milliseconds: for all hosts to answer at first; for a connection; without a byte; for a file as a whole. */
  probeMs: number;
  connectMs: number;
  idleMs: number;
  fileMs: number;
  /** The most bytes of a file. */
  bytes: number;
}

/** The parts from outside that resolving a tool needs; all of it has defaults in `tool-path.ts`. */
export interface Toolchain {
  env: NodeJS.ProcessEnv;
  /** Folder with tools.json and the Go modules. */
  toolsFolder: string;
  cacheFolder: string;
  network: Network;
  /** The output for progress. */
  progress: { isTTY?: boolean; write(text: string): unknown };
}
