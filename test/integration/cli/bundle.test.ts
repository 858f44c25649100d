import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readRelease } from "../../../src/model/bundle-format/bundle-release.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
const project = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
let folder: string;
let registry: TestRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-cli-bundle-"));
  registry = await startRegistry(await toolPath("crane"));
});

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

function bundle(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "bundle", ...args], {
    encoding: "utf8",
    cwd: folder,
  });
  return { code: status, out: stdout, err: stderr };
}

describe("landfall bundle", () => {
  it("builds the same bytes twice, pushes, pulls, inspects and compares them", async () => {
    const first = bundle("build", "--out", "a.tar.gz", "-o", "json");
    expect(first).toMatchObject({ code: 0, err: "" });
    const { digest, revision } = JSON.parse(first.out) as { digest: string; revision: string };
    expect(bundle("build", "--no-test", "--out", "b.tar.gz").out).toContain(`revision ${revision}\n${digest}\n`);
    expect(await readFile(join(folder, "a.tar.gz"))).toEqual(await readFile(join(folder, "b.tar.gz")));

    const tag = `${registry.host}/policies/landfall:cli`;
    const pushed = bundle("push", "a.tar.gz", tag, "--plain-http");
    expect(pushed.code).toBe(0);
    const ref = pushed.out.trim();
    expect(ref).toMatch(/\/policies\/landfall@sha256:[0-9a-f]{64}$/);
    expect(bundle("pull", ref, "--plain-http", "--out", "c.tar.gz").out).toBe(`c.tar.gz\n${digest}\n`);

    const inspected = JSON.parse(bundle("inspect", tag, "--plain-http", "-o", "json").out) as Record<string, unknown>;
    expect(inspected).toMatchObject({
      digest,
      revision,
      image: ref.replace(/^.*@/, ""),
      entrypoints: ["landfall/main/compact", "landfall/main/result"],
      roots: ["landfall"],
      data: { "power model": "2023" },
    });
    expect(bundle("inspect", "a.tar.gz").out).toContain(`revision    ${revision}\n`);
    expect(parse(bundle("inspect", tag, "--plain-http", "-o", "yaml").out)).toEqual(inspected);
    expect(bundle("inspect", "a.tar.gz", "-o", "wide").out).toMatch(
      /\nfiles\n( {2}.*\n)* {2}policy\.wasm: \d+\.\d kB\n/,
    );
    expect(bundle("diff", "a.tar.gz", tag, "--plain-http").out).toBe(`revision ${revision} -> ${revision}\n`);
  });

  it("stamps a version and an expiry, and pushes a rollback to an earlier image", async () => {
    const versioned = ["--version", "7", "--expires", "2030-01-01T00:00:00Z"];
    expect(bundle("build", "--no-test", "--out", "v.tar.gz", ...versioned).code).toBe(0);
    const tag = `${registry.host}/policies/landfall:versions`;
    const pushed = bundle("push", "v.tar.gz", tag, "--plain-http");
    const unsigned = { code: 0, err: expect.stringMatching(/^it is not signed: .*--key/) as string };
    expect(pushed).toMatchObject(unsigned);
    expect(bundle("push", "a.tar.gz", `${tag}-none`, "--plain-http").err).toContain("--version and --expires");
    const inspected = JSON.parse(bundle("inspect", tag, "--plain-http", "-o", "json").out) as unknown;
    expect(inspected).toMatchObject({ version: 7, expires: "2030-01-01T00:00:00Z" });
    const image = pushed.out.trim().replace(/^.*@/, "");
    expect(bundle("rollback", tag, "--to", image, "--version", "8", "--plain-http")).toMatchObject(unsigned);
    expect(bundle("pull", tag, "--plain-http", "--out", "r.tar.gz").code).toBe(0);
    const release = readRelease(await readFile(join(folder, "r.tar.gz")), "r");
    expect(release).toEqual({ version: 8, expires: null, channel: null, rollback: image, date: null });
    expect(bundle("rollback", tag, "--to", "v7", "--version", "8", "--plain-http").err).toContain("sha256");
    expect(bundle("build", "--no-test", "--version", "seven").err).toContain("--version seven");
  });

  it("reports the files and values that differ", async () => {
    const source = join(folder, "policies/bundle");
    await cp(project("policies"), join(folder, "policies"), { recursive: true });
    const settings = join(source, "landfall/settings/data.yaml");
    await writeFile(settings, (await readFile(settings, "utf8")).replace("residency: []", "residency: [EU]"));
    expect(bundle("build", "--no-test", "--source", source, "--out", "d.tar.gz", "--revision", "next").code).toBe(0);
    const { out } = bundle("diff", "a.tar.gz", "d.tar.gz");
    expect(out).toContain(" -> next\n");
    expect(out).toContain("~ data.json\n");
    expect(out).toContain('landfall.settings.residency: [] -> ["EU"]\n');
  });

  it("does not build policies that fail their tests or are not strict", async () => {
    const source = join(folder, "policies/bundle");
    const test = join(source, "landfall/broken_test.rego");
    await writeFile(test, "package landfall.broken_test\n\ntest_never if 1 == 2\n");
    expect(bundle("build", "--source", source).err).toMatch(/test_never: FAIL[^]*\[BUNDLE_TEST\]/);
    await writeFile(test, "package landfall.broken_test\n\nimport data.landfall.scope\n");
    expect(bundle("build", "--source", source).err).toMatch(/unused[^]*\[BUNDLE_BUILD\]/);
  });

  it.each([
    [
      "a pattern of names that would allow all of them",
      ["  name: null", '  name: "(["'],
      'settings naming.name: "([" is not a regular expression (RE2): missing closing ]: [; correct it, e.g. name: "^[a-z]+-[a-z]+$"',
    ],
    [
      "a country that opa reads as false",
      ["residency: []", "residency: [NO]"],
      'settings residency[0]: false is not a text: YAML reads NO, off and n without quotes as false; write "NO"',
    ],
  ])("does not build %s", async (_, [was, is], text) => {
    const source = join(folder, "refused/bundle");
    await cp(project("policies"), join(folder, "refused"), { recursive: true });
    const settings = join(source, "landfall/settings/data.yaml");
    const written = (await readFile(settings, "utf8")).replace(was ?? "", is ?? "");
    expect(written).toContain(is);
    await writeFile(settings, written);
    const { code, err } = bundle("build", "--no-test", "--source", source, "--out", "refused.tar.gz");
    expect(err).toContain(text);
    expect(code).toBe(2);
  });

  it.each([
    ["a reference that is none", ["inspect", "nothing"], "BUNDLE_REFERENCE"],
    ["a file that is no bundle", ["inspect", bin], "BUNDLE_UNREADABLE"],
    ["an unknown format", ["inspect", bin, "-o", "xml"], "CLI_UNKNOWN_NAME"],
    ["a registry that is not there", ["pull", "127.0.0.1:1/a/b:c", "--plain-http"], "BUNDLE_REGISTRY_AWAY"],
    [
      "a folder that is not there",
      ["build", "--no-test", "--source", "/nonexistent"],
      "check the path: --source is a folder [CLI_INPUT]",
    ],
    ["a push without a reference", ["push", bin], "missing required argument"],
  ])("ends with 2 for %s", (_, args, text) => {
    const { code, err } = bundle(...args);
    expect(err).toContain(text);
    expect(code).toBe(2);
  });
});
