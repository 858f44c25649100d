import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkPolicies } from "../../../scripts/check/check-policies.ts";
import { runProgram } from "../../../src/bundle/run-program.ts";
import { toolPath } from "../../../src/toolchain/tool-path.ts";
import { landfall, ROOT } from "../../support/scaffold.ts";
import { unformatted } from "../../support/unformatted.ts";

let folder: string;
let team: string;
let printed: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-scaffold-"));
  team = join(folder, "team");
  printed = (await landfall("scaffold", "bundle", team)).out;
  // One name like a builtin of Rego, and the longest.
  for (const name of ["count", `g${"o".repeat(49)}`]) await landfall("scaffold", "policy", name, "--dir", team);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a scaffolded bundle with scaffolded rules", { timeout: 60_000 }, () => {
  it("is strict, formatted and tested with full coverage", async () => {
    expect(await checkPolicies(team)).toEqual([]);
    // The product's own lines are counted by test/integration/policy/opa-test.test.ts.
    const covered = ["test", "--coverage", "--threshold", "100", join(team, "bundle/landfall/custom")];
    const { code, stderr } = await runProgram(await toolPath("opa"), covered);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("is built by `landfall bundle build`, and passes the product's cases and its own", async () => {
    const out = join(folder, "bundle.tar.gz");
    // Without opa's tests, which the case above has run.
    const built = await landfall("bundle", "build", "--source", join(team, "bundle"), "--out", out, "--no-test");
    expect(built.out).toMatch(/\nsha256:[0-9a-f]{64}\n$/);
    const { out: text, code } = await landfall("test", join(team, "tests"), "--bundle", out);
    for (const name of ["ownership/allowed", "ownership/denied", "count/denied", "quota"])
      expect(text).toContain(`✓ ${name}: `);
    expect(text).toMatch(/\n16 passed, 0 failed\n$/);
    expect(code).toBe(0);
  });

  it("has the product's settings, and states its origin", async () => {
    const settings = await readFile(join(team, "bundle/landfall/settings/data.yaml"), "utf8");
    expect(settings).toContain(await readFile(join(ROOT, "policies/bundle/landfall/settings/data.yaml"), "utf8"));
    expect(settings).toMatch(/^# Your settings\. They start as those of Landfall \d/);
    const readme = await readFile(join(team, "README.md"), "utf8");
    expect(readme).toMatch(/\(revision `[0-9a-f]{16}`\)/);
    expect(readme).not.toContain("catalog");
    expect(readme, "webhooks take it").toMatch(
      /bundle build --source bundle --version \d+ --expires .*\n[^`]*bundle push .* --key /,
    );
  });

  it("is formatted as the project's files are", async () => {
    expect(await unformatted(team, "")).toEqual([]);
  });

  it("includes the catalog on request, and every command names it", async () => {
    expect(printed).toContain("landfall/custom/ownership.rego\n");
    expect(printed).not.toContain("--catalog");
    const whole = join(folder, "whole");
    const { out } = await landfall("scaffold", "bundle", whole, "--catalog", "--policy", "gpu_hours");
    expect(out).toContain(`npx landfall bundle build --source ${whole}/bundle --catalog ${whole}/catalog\n`);
    expect(await readFile(join(whole, "catalog/places.json"))).toEqual(
      await readFile(join(ROOT, "catalog/places.json")),
    );
    const added = await landfall("scaffold", "policy", "second", "--dir", whole);
    expect(added.out).toContain(`--catalog ${whole}/catalog\n`);
  });
});
