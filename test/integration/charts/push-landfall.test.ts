import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { startRegistry, type TestRegistry } from "../../support/bundles/registry.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const DIGEST = `sha256:${"a".repeat(64)}`;
let folder: string;
let registry: TestRegistry;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-push-"));
  registry = await startRegistry(await toolPath("crane"));
});

afterAll(async () => {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
});

const push = (chart: string, image: string) =>
  execa(
    process.execPath,
    ["scripts/push-charts.ts", `${registry.host}/charts`, chart, "--image", image, "--out", folder, "--plain-http"],
    { cwd: root, reject: false },
  );

describe("the chart of Landfall in a registry", () => {
  it("has the image that it was pushed with as its default, and no definition", async () => {
    const { stdout, stderr, failed } = await push("charts/landfall", "registry.example:5000/landfall:v1@" + DIGEST);
    expect([failed, stderr]).toEqual([false, "landfall 0.2.0: pushed"]);
    expect(stdout).toMatch(/^\S+\/charts\/landfall@sha256:[0-9a-f]{64}$/);
    const helm = await toolPath("helm");
    const values = await execa(helm, ["show", "values", `oci://${stdout}`, "--plain-http"]);
    const { image } = parse(values.stdout) as { image: object };
    expect(image).toMatchObject({ repository: "registry.example:5000/landfall", tag: "", digest: DIGEST });
    // The same image again changes nothing; another one needs another version of the chart.
    expect((await push("charts/landfall", `registry.example:5000/landfall@${DIGEST}`)).stderr).toContain("already");
    const other = await push("charts/landfall", `registry.example:5000/other@${DIGEST}`);
    expect(other.stderr).toContain("REL_CHART_TAKEN");
  });

  it("whose version is taken keeps no other chart from being pushed", async () => {
    const pushAll = (...charts: string[]) =>
      execa(
        process.execPath,
        ["scripts/push-charts.ts", `${registry.host}/kinds`, ...charts, "--out", folder, "--plain-http"],
        { cwd: root, reject: false },
      );
    const changed = join(folder, "changed");
    await cp(join(root, "charts/vmtemplate"), changed, { recursive: true });
    await writeFile(join(changed, "templates/more.yaml"), "# changed\n");
    expect((await pushAll("charts/vmtemplate")).exitCode).toBe(0);
    const { exitCode, stdout, stderr } = await pushAll(changed, "charts/kaas-cluster");
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /vm-template:\d\S+ already exists.*raise version in Chart\.yaml, for example to \d.*\[REL_CHART_TAKEN\]/,
    );
    expect(stderr).toMatch(/kaas-cluster \S+: pushed/);
    expect(stdout).toMatch(/\/kinds\/kaas-cluster@sha256:/);
  });

  it.each([
    ["an image without a digest", "charts/landfall", "registry.example/landfall:v1", "@sha256:"],
    ["a chart without an image", "charts/vmtemplate", `registry.example/landfall@${DIGEST}`, "omit --image"],
  ])("refuses %s", async (_name, chart, image, advice) => {
    const { exitCode, stderr } = await push(chart, image);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("CLI_USAGE");
    expect(stderr).toContain(advice);
  });
});
