import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policyFile } from "../../support/load-policy.ts";

const bin = fileURLToPath(new URL("../../../bin/landfall.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "landfall-simulate-"));
let bundle = "";
beforeAll(async () => {
  bundle = await policyFile();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function simulate(...args: string[]): { code: number | null; out: string; err: string } {
  const all = [bin, "simulate", "--bundle", bundle, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8", env: { ...process.env } });
  return { code: status, out: stdout, err: stderr };
}

describe("landfall simulate", () => {
  it("prints a table and writes the figures and the jobs, which give the same figures again", () => {
    const [json, again, jobs, html] = ["a.json", "b.json", "jobs.csv", "report.html"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    const made = simulate(
      "--jobs",
      "40",
      "--origins",
      "azure/italynorth",
      "--latency",
      "12-20",
      "--shift",
      "place",
      "--json",
      json,
      "--write-workload",
      jobs,
      "--html",
      html,
    );
    expect(made.err).toBe("");
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^POLICY +KG CO2E/);
    const figures = JSON.parse(readFileSync(json, "utf8")) as { policies: Record<string, unknown>[]; jobs: number };
    const page = readFileSync(html, "utf8");
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).not.toMatch(/NaN|undefined/);
    expect(figures.jobs).toBe(40);
    expect(Object.keys(figures)).toEqual(["policies", "upperBound", "jobs"]);
    const ours = figures.policies.find(({ name }) => name === "ours");
    expect(ours).toMatchObject({ deadlineMisses: 0, violations: 0, meanDelayHours: 0 });
    simulate("--workload", jobs, "--shift", "place", "--json", again);
    expect(readFileSync(again, "utf8")).toBe(readFileSync(json, "utf8"));
  }, 60_000);

  it.each([
    ["another year", ["--year", "2021"], "SIM_SERIES"],
    ["a file that is not there", ["--workload", "/nonexistent.csv"], "SIM_FILE"],
    ["an origin that is none", ["--origins", "azure/atlantis"], "SIM_OPTIONS"],
    ["a share with pinned places", ["--shift", "time", "--max-region-share", "0.1"], "SIM_OPTIONS"],
    ["a share of more than all", ["--max-region-share", "1.5"], "--max-region-share"],
    ["no jobs", ["--jobs", "0"], "--jobs"],
  ])("ends with 2 for %s", (_name, args, text) => {
    const { code, err } = simulate(...args);
    expect(err).toContain(text);
    expect(code).toBe(2);
  });

  it("shows grams and cents where kilograms and dollars would be zeros", () => {
    const file = join(folder, "one.csv");
    const [head, job] = [
      "id,arrival,cpu,memory,durationHours,deadline,origin",
      "a,2022-03-01T08:00:00Z,2,4,0.25,2022-03-01T09:00:00Z,gcp/europe-west3",
    ];
    writeFileSync(file, `${head}\n${job}\n`);
    const { out } = simulate("--workload", file, "--shift", "time");
    expect(out).toMatch(/^run-now-at-origin +0\.00[1-9]\d\d +0\.0 % .* 0\.0[1-9]\d\d /m);
    expect(out).toMatch(/^1 job · nothing .* below 0\.00[1-9]\d\d kg CO2e$/m);
  });

  it("ends with 2 for a job that may run nowhere or outside the year", () => {
    const file = join(folder, "wrong.csv");
    const head = "id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency\n";
    writeFileSync(file, `${head}a,2022-03-01T08:00:00Z,2,4,3,2022-03-01T12:00:00Z,40,azure/italynorth,BR\n`);
    expect(simulate("--workload", file).err).toContain("SIM_NO_PLACE");
    writeFileSync(file, `${head}a,2023-03-01T08:00:00Z,2,4,3,2023-03-01T12:00:00Z,40,azure/italynorth,\n`);
    expect(simulate("--workload", file).err).toContain("SIM_OUTSIDE");
  });
});
