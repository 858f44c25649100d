import { spawn, type SpawnSyncReturns, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join, sep } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { kubeconfigText } from "../../support/kubeconfig.ts";

const NOW = ["--now", "2026-11-21T09:00:00Z"];
const EXAMPLE = "node_modules/landfall/examples/08-when-it-is-green.yaml";
let base: string;
let use: string;
let tarball: string;
let tools: string;

/** Copies a package and what it depends on, as npm would install them. */
async function install(name: string, from: string): Promise<void> {
  const entry =
    createRequire(from)
      .resolve.paths(name)
      ?.map((folder) => join(folder, name)) ?? [];
  const found = await Promise.all(
    entry.map(async (folder) => ((await stat(folder).catch(() => null)) ? folder : null)),
  );
  const folder = found.find((one) => one !== null) ?? "";
  // A package inside another one is copied with it.
  const to = join(use, "node_modules", folder.slice(folder.indexOf(`node_modules${sep}`) + 13));
  await cp(folder, to, { recursive: true });
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
  };
  for (const one of Object.keys(dependencies)) await install(one, join(folder, "package.json"));
}

/** Runs the installed command as a user does who has neither the repository nor its tools; `path`: folders of programs. */
function landfall(args: readonly string[], path: readonly string[] = [tools]): SpawnSyncReturns<string> {
  const env = { HOME: join(base, "home"), PATH: [...path, "/usr/bin", "/bin"].join(delimiter) };
  const bin = join(use, "node_modules/landfall/bin/landfall.js");
  return spawnSync(process.execPath, [bin, ...args], { cwd: use, env, encoding: "utf8" });
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-package-"));
  [use, tools] = [join(base, "use"), join(base, "tools")];
  for (const folder of [join(use, "node_modules"), tools, join(base, "home")]) await mkdir(folder, { recursive: true });
  for (const name of ["helm", "opa"] as const) await symlink(await toolPath(name), join(tools, name));
  const packed = spawnSync(process.execPath, ["scripts/package.ts", base], { encoding: "utf8" });
  tarball = packed.stdout.trim();
  expect(packed.stderr).toMatch(/^\d\.\d MiB, [\d.]+ MiB unpacked/);
  spawnSync("tar", ["-xzf", tarball, "-C", join(use, "node_modules")]);
  await cp(join(use, "node_modules/package"), join(use, "node_modules/landfall"), { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(use, "node_modules/landfall/package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) await install(name, join(process.cwd(), "package.json"));
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

describe("the npm package, in an empty folder and without the repository", () => {
  it("is a tarball of a few MB with its version and the licences of what is part of it", async () => {
    expect((await stat(tarball)).size).toBeLessThan(5 * 2 ** 20);
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect(landfall(["--version"], []).stdout).toBe(`${version}\n`);
    const licences = await readFile(join(use, "node_modules/landfall/THIRD-PARTY-LICENSES"), "utf8");
    for (const name of ["commander", "yaml", "echarts", "@kubernetes/client-node"])
      expect(licences).toContain(`\n${name} `);
    const dist = await readFile(join(use, "node_modules/landfall/dist/main.js"), "utf8");
    expect(dist).not.toContain(process.cwd());
  });

  it("has the built pages of the console, without a script of their own, in less than 5 MB and with their licences", async () => {
    const folder = join(use, "node_modules/landfall/console");
    const index = await readFile(join(folder, "index.html"), "utf8");
    const scripts = [...index.matchAll(/<script\b[^>]*>([^<]*)<\/script>/g)];
    expect(scripts.map(([, body]) => body)).toEqual([""]);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(files.map(({ parentPath, name }) => stat(join(parentPath, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(5_000_000);
    const licences = await readFile(join(use, "node_modules/landfall/THIRD-PARTY-LICENSES"), "utf8");
    for (const name of ["react", "@tanstack/react-query", "react-aria-components"])
      expect(licences).toContain(`\n${name} `);
  });

  it("serves the console without a build", async () => {
    const kubeconfig = join(base, "kubeconfig");
    await writeFile(kubeconfig, kubeconfigText({ server: "https://127.0.0.1:1" }, { token: "unused" }));
    const bin = join(use, "node_modules/landfall/bin/landfall.js");
    const env = { HOME: join(base, "home"), PATH: "/usr/bin:/bin" };
    const child = spawn(process.execPath, [bin, "console", "--kubeconfig", kubeconfig], { cwd: use, env });
    try {
      const [printed] = (await once(child.stdout, "data")) as [Buffer];
      const address = new URL(printed.toString().trim());
      expect(address.hostname).toBe("127.0.0.1");
      expect(address.hash).toMatch(/^#token=[\w-]{43}$/);
      const page = await fetch(address);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')]);
    } finally {
      child.kill();
    }
  });

  it("is not what npm pack makes of the repository, which is refused", () => {
    const { status, stderr } = spawnSync("npm", ["pack", "--dry-run"], { encoding: "utf8" });
    expect(status).not.toBe(0);
    expect(stderr).toContain("write npm run package -- FOLDER");
  });

  it("explains the same decision as the repository, and needs neither helm nor opa for it", () => {
    const here = spawnSync(
      process.execPath,
      ["bin/landfall.js", "explain", "-f", "examples/08-when-it-is-green.yaml", ...NOW, "-o", "json"],
      { encoding: "utf8" },
    );
    const there = landfall(["explain", "-f", EXAMPLE, ...NOW, "-o", "json"], []);
    expect(there.stderr).toBe("");
    const decided = (text: string): unknown => ({ ...(JSON.parse(text) as object), data: null });
    expect(decided(there.stdout)).toEqual(decided(here.stdout));
    expect(there.status).toBe(0);
  });

  it("plans, and without helm says what to install", () => {
    const { stdout, status } = landfall(["plan", "-f", EXAMPLE, ...NOW]);
    expect(status).toBe(0);
    expect(stdout).toContain("\nkind: ComputeInstance\n");
    const without = landfall(["plan", "-f", EXAMPLE, ...NOW], []);
    expect(without.stderr).toMatch(/helm \S+ is not on the PATH .*put helm \S+ on the PATH \[TOOL_MISSING\]/);
    expect(without.status).toBe(2);
  });

  it("tests policies, builds and inspects a bundle, and says what to install without opa", () => {
    const tested = landfall(["test", "node_modules/landfall/policies/tests/quota"]);
    expect(`${tested.stdout}${tested.stderr}`).toMatch(/[1-9]\d* passed, 0 failed/);
    const built = landfall(["bundle", "build", "--out", "own.tar.gz", "--no-test"]);
    expect(built.stderr).toBe("");
    expect(landfall(["bundle", "inspect", "own.tar.gz"], []).stdout).toMatch(/^kind +platform\n/);
    const folder = ["--bundle", "node_modules/landfall/policies"];
    expect(landfall(["explain", "-f", EXAMPLE, ...NOW, ...folder]).stdout).toContain("ALLOWED");
    const without = landfall(["bundle", "build", "--out", "other.tar.gz"], []);
    expect(without.stderr).toMatch(/opa \S+ is not on the PATH .*\[TOOL_MISSING\]/);
  });

  it("simulates, and finds its templates for a scaffold", () => {
    const { stdout, stderr, status } = landfall(["simulate", "--jobs", "1"], []);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^1 job · nothing that keeps the limits/m);
    expect(status).toBe(0);
    const scaffold = landfall(
      ["scaffold", "policy", "no_fridays", "--dir", "node_modules/landfall/policies", "--dry-run"],
      [],
    );
    expect(`${scaffold.stdout}${scaffold.stderr}`).toContain("custom/no_fridays.rego");
    expect(scaffold.status).toBe(0);
  });
});
