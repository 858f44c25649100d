import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Decision } from "../../../src/model/decision.ts";
import { vm } from "../../support/admission.ts";
import { policyFile } from "../../support/load-policy.ts";
import { SECURITY } from "../../support/bundles/other-bundles.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "landfall-cli-several-"));
  for (const name of ["rules", "blocked", "objects"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "rules/security.rego"), SECURITY);
  await writeFile(join(folder, "blocked/.manifest"), '{"roots": ["acme/blocked"]}');
  await writeFile(join(folder, "blocked/data.yaml"), "acme: { blocked: { web: [by acme] } }\n");
  const machine = (name: string, labels: Record<string, string>): string =>
    stringify(vm({ cpu: 2, memory: 4, provider: "gcp" }, { name, labels }));
  await writeFile(join(folder, "objects/owned.yaml"), machine("owned", { owner: "me" }));
  await writeFile(join(folder, "objects/web.yaml"), machine("web", { owner: "me" }));
  await writeFile(join(folder, "objects/nobody.yaml"), machine("nobody", {}));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function landfall(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", cwd: folder });
  return { code: status, out: stdout, err: stderr };
}

const build = (...args: string[]): ReturnType<typeof landfall> => landfall("bundle", "build", ...args);

describe("several bundles at the command line", () => {
  it("are built, inspected and used together by explain (in any order) and impact", async () => {
    const carbon = ["--data", "carbon", "--date", "2026-11-20", "--fresh-hours", "24"];
    const first = build(...carbon, "--out", "carbon.tar.gz");
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(
      build(...carbon, "--out", "again.tar.gz")
        .out.split("\n")
        .slice(1),
    ).toEqual(first.out.split("\n").slice(1));
    expect(build("--data", "blocked", "--date", "2026-11-20T10:00:00Z", "--out", "blocked.tar.gz").code).toBe(0);
    expect(build("--team", "security", "--source", "rules", "--revision", "s1", "--out", "security.tar.gz").code).toBe(
      0,
    );

    const inspected = JSON.parse(landfall("bundle", "inspect", "carbon.tar.gz", "-o", "json").out) as object;
    expect(inspected).toMatchObject({
      kind: "data",
      name: "carbon",
      date: "2026-11-20T00:00:00Z",
      freshHours: 24,
      roots: ["landfall/catalog/carbon"],
      entrypoints: [],
      data: { "carbon profiles": "2022" },
    });
    expect(landfall("bundle", "inspect", "security.tar.gz").out).toContain("kind        policy security\n");

    const files = ["security.tar.gz", "carbon.tar.gz", "blocked.tar.gz"];
    const explain = (order: readonly string[], file: string): ReturnType<typeof landfall> =>
      landfall(
        ...["explain", "-f", `objects/${file}.yaml`, "-o", "json", "--now", "2026-11-21T12:00:00Z"],
        ...order.flatMap((name) => ["--bundle", name]),
      );
    const owned = explain(files, "owned");
    expect(owned.code).toBe(0);
    const decision = JSON.parse(owned.out) as Decision;
    expect(Object.keys(decision.policy.bundles ?? {})).toEqual(["blocked", "carbon", "security"]);
    expect(decision.degraded.map(({ code }) => code)).toContain("BUNDLE_DATA_STALE");
    expect(explain([...files].reverse(), "owned").out).toBe(owned.out);
    const web = explain(files, "web");
    expect([web.code, (JSON.parse(web.out) as Decision).denials[0]?.message]).toEqual([3, "by acme"]);

    const impact = landfall(
      "impact",
      "--dir",
      "objects",
      "--bundle",
      "security.tar.gz",
      "--against",
      await policyFile(),
      "--max-denied",
      "0",
      "-o",
      "json",
    );
    expect(impact.code).toBe(3);
    expect(JSON.parse(impact.out)).toMatchObject({
      summary: { changes: { "newly denied": 1, none: 2 } },
      impacts: [{ change: "newly denied" }],
    });
  });

  it.each<[string, string[], string]>([
    ["figures of no date", ["bundle", "build", "--data", "carbon"], "CLI_USAGE"],
    [
      "a limit that is none",
      ["bundle", "build", "--data", "carbon", "--date", "2026-11-20", "--fresh-hours", "-1"],
      "CLI_USAGE",
    ],
    ["figures and rules at once", ["bundle", "build", "--data", "carbon", "--team", "x"], "CLI_USAGE"],
    ["a team without a folder", ["bundle", "build", "--team", "security"], "CLI_USAGE"],
    ["a folder without roots", ["bundle", "build", "--data", "rules", "--date", "2026-11-20"], "BUNDLE_BUILD"],
    [
      "a team's folder that is not there",
      ["bundle", "build", "--no-test", "--team", "x", "--source", "nowhere"],
      "BUNDLE_BUILD",
    ],
  ])("ends with 2 for %s", (_, args, code) => {
    const { code: exit, err } = landfall(...args);
    expect([exit, err]).toEqual([2, expect.stringContaining(`[${code}]`)]);
  });
});
