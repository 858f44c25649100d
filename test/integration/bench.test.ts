import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { BenchReport } from "../../bench/types.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("npm run bench", () => {
  it("measures the webhook and its peers and writes the report", async () => {
    const dir = await mkdtemp(join(tmpdir(), "landfall-bench-test-"));
    const file = join(dir, "report.json");
    const args = ["bench/main.ts", "--only", "admission", "--seconds", "1", "--rounds", "1", "--json", file];
    await promisify(execFile)(process.execPath, args, { cwd: root });
    const report = JSON.parse(await readFile(file, "utf8")) as BenchReport;
    await rm(dir, { recursive: true });
    expect(Object.keys(report)).toEqual(["admission", "decision", "composition", "helm", "webhookRssMb"]);
    expect(report.admission.map(({ server, connections }) => `${server} ${connections}`)).toEqual([
      ...["landfall 1", "opa 1", "echo 1"],
      ...["landfall 16", "opa 16", "echo 16"],
    ]);
    for (const result of report.admission) {
      expect(Object.keys(result)).toEqual(["server", "connections", "requestsPerSecond", "p50Ms", "p99Ms"]);
      expect(result.requestsPerSecond).toBeGreaterThan(0);
      expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms);
    }
    expect(report.decision).toEqual([]);
    expect(report.composition).toBeNull();
    expect(report.helm).toEqual([]);
    expect(report.webhookRssMb).toBeGreaterThan(0);
  });
});
