import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LandfallError } from "../errors.ts";
import { goPlatform } from "./cache-paths.ts";
import { showProgress } from "./show-progress.ts";
import type { Toolchain, ToolSpec } from "./tool-spec.ts";

/** The linker flags: no symbol tables, and the true version, which a build from the module proxy would not know. */
function linkerFlags(spec: ToolSpec): string {
  const [major = "", minor = ""] = spec.version.split(".");
  const fill = (text: string): string =>
    text.replaceAll("{version}", spec.version).replaceAll("{major}", major).replaceAll("{minor}", minor);
  return ["-s", "-w", ...spec.stamp.map((setting) => `-X ${fill(setting)}`)].join(" ");
}

/** The user's environment without what would build something else: workspaces, flags, and other targets. */
function buildEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { os, arch } = goPlatform();
  return {
    ...env,
    GOWORK: "off",
    GOFLAGS: "-mod=readonly",
    GO111MODULE: "on",
    CGO_ENABLED: "0",
    GOOS: os,
    GOARCH: arch,
  };
}

/**
 * Builds the programs of one Go module into `output` (a folder), all in one `go build`.
 * Errors: TOOL_MISSING without Go, TOOL_BUILD with the last lines of what Go said.
 */
export async function goBuild(specs: [ToolSpec, ...ToolSpec[]], output: string, chain: Toolchain): Promise<void> {
  const [first] = specs;
  const log = join(chain.cacheFolder, "logs", `${first.folder}-${first.version}.log`);
  await mkdir(dirname(log), { recursive: true });
  const names = specs.map((spec) => spec.name).join(", ");
  const progress = showProgress(`${names} ${first.version}`, chain.progress);
  const args = ["build", "-v", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", linkerFlags(first)];
  if (first.tags !== undefined) args.push("-tags", first.tags);
  const target = ["-o", `${output}/`, ...specs.map((spec) => spec.package)];
  // Loaded here, since a machine builds once. If this process exits, execa ends `go`, which would continue alone and leave half a build.
  const { execa } = await import("execa");
  const go = execa("go", [...args, ...target], {
    ...{ cwd: join(chain.toolsFolder, first.folder), env: buildEnvironment(chain.env), extendEnv: false },
    ...{ stdin: "ignore", stdout: "ignore", stderr: ["pipe", { file: log }], buffer: false, reject: false },
  });
  const tail: string[] = [];
  for await (const line of go.iterable({ from: "stderr" })) {
    progress.line(line);
    tail.push(line);
    if (tail.length > 5) tail.shift();
  }
  const result = await go;
  progress.end(result.failed ? "failed" : "done");
  if (!result.failed) return;
  const params = { tool: names, version: first.version };
  if (result.code === "ENOENT")
    throw new LandfallError("TOOL_MISSING", { ...params, detail: "there is no `go` on the PATH" }, result.cause);
  throw new LandfallError("TOOL_BUILD", { ...params, detail: tail.join(" · "), log }, result.cause);
}
