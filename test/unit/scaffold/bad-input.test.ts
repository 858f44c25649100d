import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeScaffold } from "../../../src/cli/commands/scaffold/write-scaffold.ts";
import { landfall } from "../../support/scaffold.ts";

let base: string;
let folder: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "landfall-scaffold-"));
});
beforeEach(async () => {
  folder = await mkdtemp(join(base, "x"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

describe("names that Helm, Kubernetes or Rego refuse", () => {
  it.each([
    ["chart", "../private-network"],
    ["chart", "a/b"],
    ["chart", "."],
    ["chart", "Network"],
    ["chart", "network-"],
    ["chart", "net--work"],
    ["chart", "net-2"],
    ["chart", "netzwerk\n"],
    ["chart", "a".repeat(41)],
    ["chart", "landfall"],
    ["chart", "vm-template"],
    ["chart", "kaas-cluster"],
    ["policy", "../rule"],
    ["policy", "gpu-hours"],
    ["policy", "Gpu"],
    ["policy", "2nd"],
    ["policy", "rule_test"],
    ["policy", "import"],
    ["policy", "input"],
    ["policy", "a".repeat(51)],
  ])("%s %j", async (what, name) => {
    await mkdir(join(folder, "bundle/landfall"), { recursive: true });
    await expect(landfall("scaffold", what, name, "--dir", folder)).rejects.toMatchObject({
      code: "CLI_SCAFFOLD_NAME",
    });
    expect(await readdir(folder)).toEqual(["bundle"]);
  });

  it.each([
    ["--kind", "VmTemplate"],
    ["--kind", "network"],
    ["--kind", "Net-Work"],
    ["--kind", "A".repeat(41)],
    ["--provider", "Azure"],
    ["--provider", "../aws"],
    ["--provider", "a".repeat(31)],
  ])("chart network %s %s", async (option, value) => {
    const made = landfall("scaffold", "chart", "network", "--dir", folder, option, value);
    await expect(made).rejects.toMatchObject({ code: "CLI_SCAFFOLD_NAME" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("rejects a repeated provider, and a first rule with a path in its name", async () => {
    const twice = landfall("scaffold", "chart", "network", "--dir", folder, "--provider", "aws", "gcp", "aws");
    await expect(twice).rejects.toMatchObject({ code: "CLI_USAGE" });
    const rule = landfall("scaffold", "bundle", join(folder, "team"), "--policy", "../../rule");
    await expect(rule).rejects.toMatchObject({ code: "CLI_SCAFFOLD_NAME" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("existing files are never changed", () => {
  it("a chart's folder with anything in it, a file of that name, a bundle's folder", async () => {
    await mkdir(join(folder, "network"));
    await writeFile(join(folder, "network/notes"), "mine");
    const chart = landfall("scaffold", "chart", "network", "--dir", folder);
    await expect(chart).rejects.toMatchObject({ code: "CLI_SCAFFOLD_EXISTS" });
    await expect(landfall("scaffold", "bundle", folder)).rejects.toMatchObject({ code: "CLI_SCAFFOLD_EXISTS" });
    await writeFile(join(folder, "file"), "mine");
    const onFile = landfall("scaffold", "chart", "file", "--dir", folder);
    await expect(onFile).rejects.toMatchObject({ code: "CLI_SCAFFOLD_WRITE" });
    expect((await readdir(folder, { recursive: true })).sort()).toEqual(["file", "network", "network/notes"]);
  });

  it("a rule of that name, or only its test, or a link that leads nowhere", async () => {
    await mkdir(join(folder, "bundle/landfall/custom"), { recursive: true });
    const mine = join(folder, "bundle/landfall/custom/mine_test.rego");
    await writeFile(mine, "package mine");
    await symlink(join(base, "elsewhere"), join(folder, "bundle/landfall/custom/linked.rego"));
    for (const name of ["mine", "linked"]) {
      const made = landfall("scaffold", "policy", name, "--dir", folder);
      await expect(made).rejects.toMatchObject({ code: "CLI_SCAFFOLD_EXISTS" });
    }
    expect(await readFile(mine, "utf8")).toBe("package mine");
    expect((await readdir(join(folder, "bundle/landfall/custom"))).sort()).toEqual(["linked.rego", "mine_test.rego"]);
    expect(await readdir(folder)).toEqual(["bundle"]);
  });

  it("an empty folder is filled", async () => {
    await mkdir(join(folder, "network"));
    await landfall("scaffold", "chart", "network", "--dir", folder, "--provider", "aws");
    expect(await readdir(join(folder, "network"))).toContain("Chart.yaml");
    expect(await readdir(folder)).toEqual(["network"]);
  });
});

describe("a folder that cannot be written", () => {
  it("a file in the way, above the folder and as the folder", async () => {
    await writeFile(join(folder, "file"), "mine");
    for (const dir of ["file", "file/below"]) {
      const made = landfall("scaffold", "chart", "network", "--dir", join(folder, dir));
      await expect(made).rejects.toMatchObject({ code: "CLI_SCAFFOLD_WRITE" });
    }
    expect(await readFile(join(folder, "file"), "utf8")).toBe("mine");
  });

  it("a folder that not even root may write to", async () => {
    const made = landfall("scaffold", "chart", "network", "--dir", "/proc/landfall");
    await expect(made).rejects.toMatchObject({ code: "CLI_SCAFFOLD_WRITE" });
  });

  it("leaves nothing where the last of several files cannot be written", async () => {
    const files = [
      { path: "a/one", body: "1" },
      { path: "two", body: "2" },
      { path: "x".repeat(300), body: "3" },
    ];
    const made = writeScaffold({ base: folder, files, dryRun: false });
    await expect(made).rejects.toMatchObject({ code: "CLI_SCAFFOLD_WRITE" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("a policy's folder that holds no bundle", async () => {
    const made = landfall("scaffold", "policy", "rule", "--dir", folder);
    await expect(made).rejects.toMatchObject({ code: "CLI_USAGE" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("--dry-run", () => {
  it("lists the files, and writes nothing", async () => {
    const { out } = await landfall("scaffold", "chart", "network", "--dir", folder, "--dry-run");
    expect(out).toContain("  network/Chart.yaml\n");
    expect(out).toContain("20 files would be written; none was\n");
    expect(await readdir(folder)).toEqual([]);
  });

  it("prints JSON, and reports existing files", async () => {
    const dir = join(folder, "new/charts");
    const args = ["scaffold", "chart", "network", "--dir", dir, "--dry-run", "-o", "json"];
    const planned = JSON.parse((await landfall(...args)).out) as { files: string[]; written: boolean };
    expect(planned).toMatchObject({
      written: false,
      files: expect.arrayContaining(["network/values.yaml"]) as string[],
    });
    await landfall(...args.filter((arg) => arg !== "--dry-run"));
    expect((await readdir(dir, { recursive: true, withFileTypes: true })).filter((e) => e.isFile())).toHaveLength(20);
    await expect(landfall(...args)).rejects.toMatchObject({ code: "CLI_SCAFFOLD_EXISTS" });
  });
});
