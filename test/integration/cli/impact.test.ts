import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Report } from "../../../src/cli/commands/impact/format-impact.ts";
import { policyFile } from "../../support/load-policy.ts";
import { changedBundle } from "../../support/bundles/watched-bundle.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
const NOW = "2026-11-20T22:00:00Z";
let folder: string;
let old: string;
let fresh: string;

const vm = (name: string, spec: string): string =>
  `apiVersion: composition.krateo.io/v0-1-0\nkind: VmTemplate\nmetadata: {name: ${name}, namespace: demo}\nspec: ${spec}\n`;

const without = (providers: string[]): Promise<Buffer> =>
  changedBundle((data) => {
    data.landfall["settings"] = { ...data.landfall["settings"], providers };
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-impact-"));
  old = await policyFile();
  fresh = join(folder, "fresh.tar.gz");
  await writeFile(fresh, await without(["azure", "gcp"]));
  await mkdir(join(folder, "objects/deep"), { recursive: true });
  await writeFile(
    join(folder, "objects/a.yaml"),
    [
      vm("pinned", "{cpu: 2, memory: 4, provider: aws}"),
      vm("free", "{cpu: 2, memory: 4, origin: aws/eu-west-1, maxLatency: 30}"),
    ].join("---\n"),
  );
  await writeFile(
    join(folder, "objects/deep/b.yaml"),
    vm("azure", "{cpu: 1, memory: 2, provider: azure, duration: 3h}"),
  );
  await writeFile(join(folder, "objects/other.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function impact(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "impact", ...args], {
    encoding: "utf8",
    cwd: folder,
  });
  return { code: status, out: stdout, err: stderr };
}

const between = (...args: string[]) => impact("--bundle", fresh, "--against", old, "--now", NOW, ...args);

describe("landfall impact", () => {
  it("reports newly denied and moved objects of a folder, and the costs", () => {
    const { code, out } = between("--dir", "objects", "-o", "json");
    expect(code).toBe(0);
    const { summary, impacts } = JSON.parse(out) as Report;
    expect(summary.objects).toBe(3);
    expect(summary.changes).toMatchObject({ "newly denied": 1, moved: 1, none: 1 });
    const [denied, moved] = [...impacts].sort((a, b) => (a.change < b.change ? 1 : -1));
    expect(denied).toMatchObject({
      object: { name: "pinned" },
      before: { allowed: true, place: expect.stringMatching(/^aws\//) as string },
      after: { allowed: false, codes: ["POL_PROVIDER"], price: null },
    });
    expect(moved).toMatchObject({
      object: { name: "free" },
      after: { place: expect.stringMatching(/^(azure|gcp)\//) as string },
    });
    // A month of the one that both allow and that runs for ever, and the run of three hours.
    expect(summary.price.objects).toBe(2);
    expect(summary.price.after).toBeGreaterThan(20);
  });

  it("reports newly allowed objects in reverse, and no change for the same bundle", () => {
    const back = impact("--bundle", old, "--against", fresh, "--now", NOW, "--dir", "objects", "-o", "json");
    expect((JSON.parse(back.out) as Report).summary.changes["newly allowed"]).toBe(1);
    const same = impact("--bundle", old, "--against", old, "--now", NOW, "--dir", "objects");
    expect(same.out).toMatch(/^3 objects: nothing changes\ncost (.*) USD -> \1 USD \(0\.0 %\)/);
  });

  it("exits with 3 if a threshold is exceeded, and names it", () => {
    expect(between("--dir", "objects", "--max-denied", "1", "--max-moved", "1", "--max-cost", "1000").code).toBe(0);
    const passed = between("--dir", "objects", "--max-denied", "0", "--max-moved", "0");
    expect(passed.code).toBe(3);
    expect(passed.out).toContain(
      "threshold passed: newly denied: 1, at most 0\nthreshold passed: moved: 1, at most 0\n",
    );
  });

  it("writes Markdown for a pull request", () => {
    const { out } = between("--dir", "objects", "-o", "markdown", "--max-denied", "0");
    expect(out).toContain("**3 objects: 1 newly denied, 1 moved**\n");
    expect(out).toContain("- **threshold passed**: newly denied: 1, at most 0\n");
    expect(out).toMatch(
      /\n\| VmTemplate demo\/pinned \| newly denied \| aws\/\S+ \S+ \| POL_PROVIDER \| [\d.]+ USD -> - \|/,
    );
  });

  it("decides the objects of a decision log again, each once and at its own time", async () => {
    const object = (cpu: number): object => ({
      apiVersion: "composition.krateo.io/v0-1-0",
      kind: "VmTemplate",
      metadata: { name: "web", namespace: "demo" },
      spec: { cpu, memory: 4, provider: "aws", deadline: "2026-11-21T00:00:00Z", duration: "1h" },
    });
    const event = (operation: string, cpu: number): string =>
      JSON.stringify({
        input: {
          request: { operation },
          object: object(cpu),
          namespace: { name: "demo", labels: {}, annotations: {} },
          now: 1_795_212_000,
        },
      });
    const lines = [event("CREATE", 64), event("CREATE", 2), event("UPDATE", 4), ""];
    await writeFile(join(folder, "decisions.json"), lines.join("\n"));
    const { out, err } = impact("--bundle", fresh, "--against", old, "--decisions", "decisions.json", "-o", "json");
    expect(err).toBe("");
    expect(JSON.parse(out)).toMatchObject({
      summary: { objects: 1 },
      impacts: [{ change: "newly denied", after: { codes: ["POL_PROVIDER"] } }],
    });
  });

  it.each([
    ["no objects named", [], "CLI_USAGE"],
    ["a decision log that is none", ["--decisions", "fresh.tar.gz"], "CLI_INPUT"],
    ["a threshold that is not a number", ["--dir", "objects", "--max-cost", "lots"], "CLI_USAGE"],
    ["a cluster that is not there", ["--kubeconfig", "none"], "CLUSTER_CONFIG"],
  ])("ends with 2 for %s", (_, args, text) => {
    const { code, err } = between(...args);
    expect(err).toContain(text);
    expect(code).toBe(2);
  });
});

describe("what landfall impact compares with", () => {
  const alone = (...args: string[]) => impact("--bundle", fresh, "--dir", "objects", "--now", NOW, ...args);

  it("is never the sources of the project: without a cluster, --against or a push, it ends with 2 and says what to write", () => {
    const { code, out, err } = alone();
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.split("\n").at(-2)).toBe(
      "landfall: nothing says which bundle decides now, so there is nothing to compare with; name it with --against: a reference, " +
        "a tarball, or a folder with the policies as they were (`git worktree add ../active main`) [CLI_NO_ACTIVE]",
    );
  });

  it("is the bundle that was pushed last from this folder, which it names", async () => {
    await mkdir(join(folder, ".landfall"), { recursive: true });
    await writeFile(join(folder, ".landfall/pushed.json"), JSON.stringify({ ref: old }));
    const { code, out, err } = alone();
    await rm(join(folder, ".landfall"), { recursive: true });
    expect(code).toBe(0);
    expect(err.split("\n").at(-2)).toBe(`landfall: compared with ${old}, which was pushed last from this folder`);
    expect(out).toMatch(/^3 objects: 1 newly denied, 1 moved\n/);
  });

  it("is built from a folder of policies: of a clone, or of policies alone", () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    for (const against of [root, join(root, "policies/bundle")])
      expect(alone("--against", against).out).toMatch(/^3 objects: 1 newly denied, 1 moved\n/);
    expect(alone("--against", "objects").err).toContain("objects has no policies: none of landfall/settings/data.yaml");
  });
});
