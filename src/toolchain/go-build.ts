import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
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
  const target = ["-o", `${output}/`, ...specs.map((spec) => spec.package)];
  const go = spawn("go", [...args, ...target], {
    cwd: join(chain.toolsFolder, first.folder),
    env: buildEnvironment(chain.env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  // `go` would go on alone and leave half a build.
  const end = (): void => void go.kill();
  process.once("exit", end);
  const logStream = createWriteStream(log);
  const tail: string[] = [];
  createInterface({ input: go.stderr }).on("line", (line) => {
    logStream.write(`${line}\n`);
    progress.line(line);
    tail.push(line);
    if (tail.length > 5) tail.shift();
  });
  const ended = await new Promise<number | Error | null>((resolve) => {
    go.once("error", resolve).once("close", resolve);
  });
  process.off("exit", end);
  logStream.end();
  progress.end(ended === 0 ? "done" : "failed");
  if (ended === 0) return;
  const params = { tool: names, version: first.version };
  if (ended instanceof Error)
    throw new LandfallError("TOOL_MISSING", { ...params, detail: "there is no `go` on the PATH" }, ended);
  throw new LandfallError("TOOL_BUILD", { ...params, detail: tail.join(" · "), log });
}
