import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatTime } from "../../../src/model/time.ts";
import { readCarbonSeries } from "../../../src/simulate/read-carbon-series.ts";
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

/** Eight weeks of four zones: over a year of all zones each run would take ten times as long. */
async function spring(): Promise<string> {
  const file = join(folder, "spring.json");
  const series = await readCarbonSeries(".", 2022);
  const zones = ["IT-NO", "DE", "FR", "SE-SE3"].map((zone) => {
    const { start = 0, values = new Float64Array() } = series.get(zone) ?? {};
    return [zone, { start: formatTime(start), values: [...values.subarray(0, 8 * 168)] }] as const;
  });
  writeFileSync(file, JSON.stringify({ zones: Object.fromEntries(zones) }));
  return file;
}

describe("landfall simulate", () => {
  it("prints a table and writes figures and jobs that reproduce the same figures", async () => {
    const series = await spring();
    const [json, again, jobs, html] = ["a.json", "b.json", "jobs.csv", "report.html"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    const made = simulate(
      "--series",
      series,
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
    expect(Object.keys(figures)).toEqual(["policies", "upperBound", "bestNow", "lost", "jobs", "waitingCostPercent"]);
    expect(made.out).toMatch(
      /^ours does not reach .* by the place \d.*, by the hour 0\.00 %, by the cost of waiting 0\.00 %$/m,
    );
    expect(made.out).not.toMatch(/cost of waiting counted/);
    const ours = figures.policies.find(({ name }) => name === "ours");
    expect(ours).toMatchObject({ deadlineMisses: 0, violations: 0, meanDelayHours: 0 });
    simulate("--series", series, "--workload", jobs, "--shift", "place", "--json", again);
    expect(readFileSync(again, "utf8")).toBe(readFileSync(json, "utf8"));
  });

  it("replays measured hours from a file, limited to those that all zones have", () => {
    const values = Array.from({ length: 500 }, (_, hour) => (hour % 24 < 6 ? 100 : 400));
    const zones = {
      DE: { start: "2025-03-01T00:00:00Z", values },
      FR: { start: "2025-03-03T00:00:00Z", values: values.map((value) => value / 4) },
    };
    const [file, csv, json] = ["hours.json", "asked.csv", "replayed.json"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, JSON.stringify({ zones }));
    // From noon a run of two hours waits for midnight, when the electricity is at a quarter.
    const job = "2025-03-17T12:00:00Z,2,4,2,2025-03-18T12:00:00Z,,gcp/europe-west3,";
    writeFileSync(csv, `id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency\na,${job}\n`);
    const { err, code } = simulate("--series", file, "--workload", csv, "--shift", "time", "--json", json);
    expect([err, code]).toEqual(["", 0]);
    const { policies } = JSON.parse(readFileSync(json, "utf8")) as {
      policies: { name: string; kgCO2: number; meanDelayHours: number }[];
    };
    const of = (name: string) => policies.find((policy) => policy.name === name);
    expect(of("ours")).toMatchObject({ meanDelayHours: 12, deadlineMisses: 0 });
    expect(of("ours")?.kgCO2).toBeCloseTo((of("run-now-at-origin")?.kgCO2 ?? 0) / 4, 9);
    const late = "2025-03-01T12:00:00Z,2,4,2,2025-03-02T12:00:00Z,,gcp/europe-west3,";
    writeFileSync(csv, `id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency\na,${late}\n`);
    expect(simulate("--series", file, "--workload", csv).err).toMatch(/2025-03-03T00:00:00Z to .*\[SIM_OUTSIDE\]/);
  }, 30_000);

  it("measures runs that pause, at a fixed place only", () => {
    const values = Array.from({ length: 500 }, (_, hour) => (hour % 24 < 6 ? 100 : 400));
    const [file, csv, json] = ["nights.json", "long.csv", "pauses.json"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(file, JSON.stringify({ zones: { DE: { start: "2025-03-01T00:00:00Z", values } } }));
    // Ten hours fit into two nights with one pause, whose resume takes ten minutes.
    const job = "2025-03-17T12:00:00Z,2,4,10,2025-03-19T12:00:00Z,,gcp/europe-west3,";
    writeFileSync(csv, `id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency\na,${job}\n`);
    const args = ["--series", file, "--workload", csv, "--waiting-cost", "0", "--max-pauses", "2", "--json", json];
    const { code, err, out } = simulate(...args, "--shift", "time");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/RUNS THAT PAUSE +KG CO2E +SAVING +OVER ONE RUN/);
    const { pauses } = JSON.parse(readFileSync(json, "utf8")) as { pauses: Record<string, unknown>[] };
    const best = pauses.find(({ name }) => name === "clairvoyant-pausing");
    expect(best).toMatchObject({ meanPauses: 1, mostPauses: 1, deadlineMisses: 0, shareOfClairvoyant: 1 });
    const free = simulate(...args);
    expect([free.code, free.err]).toEqual([2, expect.stringContaining("add --shift time")]);
    expect(simulate(...args, "--shift", "time", "--min-run", "soon").err).toContain("expected a duration");
  });

  it("reports that no assignment meets the budget", async () => {
    const series = ["--series", await spring()];
    const { err, code } = simulate(
      ...series,
      "--jobs",
      "30",
      "--origins",
      "azure/italynorth",
      "--max-region-share",
      "0.01",
    );
    expect(code).toBe(0);
    expect(err).toMatch(/no assignment was found that keeps --max-region-share: a region runs \d+\.\d %/);
  });

  const hours = (start: string, stepMinutes: number, length: number) => {
    return { start, stepMinutes, values: new Array<number>(length).fill(300) };
  };

  it.each([
    ["half hours", hours("2025-03-01T00:00:00Z", 30, 200), "DE has a figure every 30 minutes, and not one an hour"],
    ["odd minutes", hours("2025-03-01T00:20:00Z", 60, 200), "which is not a full hour"],
    ["a day", hours("2025-03-01T00:00:00Z", 60, 24), "its zones have 24 hours in common"],
  ])("ends with 2 for measured hours that cannot be replayed: %s", (_name, measured, text) => {
    const file = join(folder, "odd.json");
    writeFileSync(file, JSON.stringify({ zones: { DE: measured } }));
    const { err, code } = simulate("--series", file);
    expect(code).toBe(2);
    expect(err).toContain(text);
    expect(err).toContain("[SIM_HOURS]");
  });

  it("exits with 2 for a gap in measured hours, and names it", () => {
    const file = join(folder, "gap.csv");
    const rows = [0, 1, 2, 4, 5].map((hour) => `DE,2025-03-01T0${String(hour)}:00:00Z,300`);
    writeFileSync(file, `zone,time,gco2_per_kwh\n${rows.join("\n")}\n`);
    const { err, code } = simulate("--series", file);
    expect(code).toBe(2);
    expect(err).toMatch(/for DE are not evenly spaced: see 2025-03-01T04:00:00Z; .*\[FORECAST_GAP\]/);
  });

  it.each([
    ["another year", ["--year", "2021"], "SIM_SERIES"],
    ["a file that is not there", ["--workload", "/nonexistent.csv"], "SIM_FILE"],
    ["an origin that is none", ["--origins", "azure/atlantis"], "SIM_OPTIONS"],
    ["a share with pinned places", ["--shift", "time", "--max-region-share", "0.1"], "SIM_OPTIONS"],
    ["a share of more than all", ["--max-region-share", "1.5"], "--max-region-share"],
    ["no jobs", ["--jobs", "0"], "--jobs"],
    ["measured hours and a year", ["--series", "hours.json", "--year", "2022"], "--year"],
    ["measured hours that are not there", ["--series", "/nonexistent.csv"], "FORECAST_FILE"],
  ])("ends with 2 for %s", (_name, args, text) => {
    const { code, err } = simulate(...args);
    expect(err).toContain(text);
    expect(code).toBe(2);
  });

  it("shows grams and cents if kilograms and dollars would be zero", () => {
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

  it("exits with 2 for a job without an allowed place or outside the year", () => {
    const file = join(folder, "wrong.csv");
    const head = "id,arrival,cpu,memory,durationHours,deadline,maxLatency,origin,dataResidency\n";
    writeFileSync(file, `${head}a,2022-03-01T08:00:00Z,2,4,3,2022-03-01T12:00:00Z,40,azure/italynorth,BR\n`);
    expect(simulate("--workload", file).err).toContain("SIM_NO_PLACE");
    writeFileSync(file, `${head}a,2023-03-01T08:00:00Z,2,4,3,2023-03-01T12:00:00Z,40,azure/italynorth,\n`);
    expect(simulate("--workload", file).err).toContain("SIM_OUTSIDE");
  });
});
