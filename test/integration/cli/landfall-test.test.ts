import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const bin = join(root, "bin/landfall.js");
let folder: string;

function landfall(args: string[], cwd = folder): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", cwd });
  return { code: status, out: stdout, err: stderr };
}

const TESTS = "policies/tests";

async function addCase(name: string, text: string): Promise<string> {
  const file = join(folder, TESTS, name, "case.yaml");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-author-"));
  for (const part of ["policies", "examples"]) await cp(join(root, part), join(folder, part), { recursive: true });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("landfall test", () => {
  const object =
    "object: {apiVersion: composition.krateo.io/v0-1-0, kind: VmTemplate, metadata: {name: a}, spec: {cpu: 1, memory: 1}}\n";

  it("passes every case that the project ships", () => {
    const { code, out } = landfall(["test"], root);
    expect(out).toMatch(/\n10 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it("shows expected and actual results, exits with 3, and writes JUnit", async () => {
    const file = await addCase(
      "wrong",
      `${object}expect: {allowed: false, codes: [POL_X], spec: {os: debian-12}, manifests: [{kind: Pod}]}\n`,
    );
    const junit = join(folder, "junit.xml");
    const { code, out } = landfall(["test", file, "--junit", junit]);
    expect(code).toBe(3);
    expect(out).toContain("    spec\n      - os: debian-12\n      + os: ubuntu-24.04\n");
    expect(out).toContain("    codes\n      - - POL_X\n      + []\n");
    expect(out).toContain("    manifests[0] Pod\n");
    expect(out).toMatch(/0 passed, 1 failed\n$/);
    const xml = await readFile(junit, "utf8");
    expect(xml).toContain('<testsuite name="landfall test" tests="1" failures="1"');
    expect(xml).toContain("not as expected: allowed, codes, spec, manifests[0] Pod");
  });

  it("denies for a rule with an incomplete denial", async () => {
    const file = join(folder, "policies/bundle/landfall/custom/half.rego");
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, 'package landfall.custom.half\n\ndenials contains {"code": 7} if input.spec.cpu == 13\n');
    const half = await addCase(
      "half",
      `${object.replace("cpu: 1", "cpu: 13")}expect: {codes: [POL_CUSTOM], message: ["rule half of the platform team"]}\n`,
    );
    const { code, out, err } = landfall(["test", half, "--source", "policies/bundle"]);
    expect(out + err).toContain("1 passed, 0 failed");
    expect(code).toBe(0);
    await rm(file);
  });

  it("rejects a folder without cases, an unknown name, and an invalid case", async () => {
    expect(landfall(["test", "examples"]).err).toContain("give a case (*.case.yaml) or a folder of cases");
    const missing = landfall(["test", "policies/test"]).err;
    expect(missing).toContain("policies/test: there is no such file or folder; write policies/tests, or give a case");
    expect(landfall(["test", "--charts", "nope"]).err).toContain("--charts is the folder that holds vmtemplate");
    expect(landfall(["test", "--source", "nope"]).err).toContain("--source is a folder");
    expect(landfall(["test", TESTS, "--run", "no-such-case"]).err).toContain("none of its cases has no-such-case");
    expect(landfall(["test", "nowhere"])).toMatchObject({ code: 2 });
    const bad = landfall(["test", await addCase("bad", "object: [")]);
    expect(bad).toMatchObject({ code: 2 });
    expect(bad.err).toContain("CLI_CASE");
  });
});
