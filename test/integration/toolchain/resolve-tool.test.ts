import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cachedPath } from "../../../src/toolchain/cache-paths.ts";
import { readManifest, resolveTool } from "../../../src/toolchain/resolve-tool.ts";
import { defaultToolchain } from "../../../src/toolchain/tool-path.ts";
import type { ToolSpec, Toolchain } from "../../../src/toolchain/tool-spec.ts";

const toolsFolder = fileURLToPath(new URL("../../../tools", import.meta.url));

let folder: string;
let shown: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-toolchain-"));
  shown = "";
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function chain(env: NodeJS.ProcessEnv): Toolchain {
  const progress = { write: (text: string): boolean => ((shown += text), true) };
  return defaultToolchain({
    ...{ env: { LANDFALL_TOOLS: "build", ...env }, toolsFolder, cacheFolder: join(folder, "cache"), progress },
  });
}

/** A program that stands for one of another version, or for `go`. */
async function script(path: string, body: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return dirname(path);
}

function helm(): ToolSpec {
  const spec = readManifest(toolsFolder).find(({ name }) => name === "helm");
  if (!spec) throw new TypeError("tools.json has no helm");
  return spec;
}

test("takes a compatible program from the PATH", async () => {
  const PATH = await script(join(folder, "bin/helm"), "echo v4.9.2");
  const found = await resolveTool("helm", chain({ PATH }));
  expect(found).toEqual({ name: "helm", version: "4.9.2", source: "PATH", path: join(PATH, "helm") });
});

test("prefers KUBEBUILDER_ASSETS to the PATH", async () => {
  const PATH = await script(join(folder, "bin/etcd"), "echo etcd Version: 3.6.8");
  const assets = await script(join(folder, "assets/etcd"), "echo etcd Version: 3.6.1");
  const found = await resolveTool("etcd", chain({ PATH, KUBEBUILDER_ASSETS: assets }));
  expect(found).toMatchObject({ version: "3.6.1", source: "KUBEBUILDER_ASSETS", path: join(assets, "etcd") });
});

test("asks a program for its version only once as long as it does not change", async () => {
  const log = join(folder, "asked");
  const PATH = await script(join(folder, "bin/helm"), `echo x >> ${log}; echo v4.3.1`);
  await resolveTool("helm", chain({ PATH }));
  await resolveTool("helm", chain({ PATH }));
  expect(await readFile(log, "utf8")).toBe("x\n");
});

test("skips an incompatible program and takes the cached one", async () => {
  const PATH = await script(join(folder, "bin/helm"), "echo v3.18.0");
  const cached = cachedPath(join(folder, "cache"), helm());
  await script(cached, "exit 1");
  expect(await resolveTool("helm", chain({ PATH }))).toEqual({
    ...{ name: "helm", version: helm().version, source: "cache", path: cached },
  });
});

test("reports what to install without the program and without Go", async () => {
  await mkdir(join(folder, "empty"));
  await expect(resolveTool("helm", chain({ PATH: join(folder, "empty") }))).rejects.toMatchObject({
    code: "TOOL_MISSING",
    message: `helm ${helm().version} is not on the PATH and cannot be built: there is no \`go\` on the PATH`,
    remedy: expect.stringContaining("install Go 1.26 or newer") as string,
  });
});

/** Writes the output file of `go build … -o FOLDER/ PACKAGE`, and notes its environment. */
const FAKE_GO = `
while [ "$1" != "-o" ]; do shift; done
echo "$GOFLAGS $GOWORK" >> "$NOTES"
echo "go: downloading example.org/x v1.0.0" >&2
/bin/sleep 0.3
echo built > "$2/helm"`;

test("builds a missing program once for concurrent callers, regardless of the user's Go settings", async () => {
  const PATH = await script(join(folder, "bin/go"), FAKE_GO);
  const notes = join(folder, "notes");
  const hostile = { PATH, NOTES: notes, GOFLAGS: "-mod=vendor", GOWORK: "/nowhere/go.work" };
  const found = await Promise.all([1, 2, 3].map(() => resolveTool("helm", chain(hostile))));
  expect(found.map(({ source }) => source).sort()).toEqual(["built", "cache", "cache"]);
  expect(await readFile(notes, "utf8")).toBe("-mod=readonly off\n");
  expect(await readFile(found[0]?.path ?? "", "utf8")).toBe("built\n");
  expect(shown).toContain(`building helm ${helm().version}: done`);
});

test("reports a failed build with Go's last lines and leaves no partial files", async () => {
  const PATH = await script(join(folder, "bin/go"), "echo 'verifying module: checksum mismatch' >&2; exit 1");
  const failing = chain({ PATH });
  await expect(resolveTool("helm", failing)).rejects.toMatchObject({
    code: "TOOL_BUILD",
    message: expect.stringContaining("checksum mismatch") as string,
  });
  await script(join(folder, "bin/go"), FAKE_GO);
  const again = await resolveTool("helm", chain({ PATH, NOTES: join(folder, "notes") }));
  expect(again.source).toBe("built");
});

test("removes what killed processes left, and nothing of a process that was paused while another broke its lock", async () => {
  const cache = join(folder, "cache");
  const gone = spawnSync("true").pid;
  const kept = join(cache, `build-${String(process.pid)}-abc`);
  for (const path of [kept, join(cache, `build-${String(gone)}-abc`), join(cache, "build-abcdef")])
    await mkdir(path, { recursive: true });
  const PATH = await script(join(folder, "bin/go"), FAKE_GO);
  await resolveTool("helm", chain({ PATH, NOTES: join(folder, "notes") }));
  expect((await readdir(cache)).filter((name) => name.startsWith("build-"))).toEqual([basename(kept)]);
});
