import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readChart } from "../../../../../src/composition/chart/read-chart.ts";
import { generateCrd } from "../../../../../src/composition/definition/generate-crd.ts";
import { mergeCrd } from "../../../../../src/composition/definition/merge-crd.ts";

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => `0.0.${String(index)}`);

async function chartServing(versions: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "landfall-154-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const about = `name: web\nversion: 1.0.0\nannotations:\n  landfall.dev/also-serves: "${versions}"\n`;
  await writeFile(join(directory, "Chart.yaml"), about);
  await writeFile(join(directory, "values.schema.json"), "{}");
  return directory;
}

it.each([
  ["21 versions", numbers(21).join(",")],
  ["3 kB of versions", numbers(500).join()],
  ["a version of 100 characters", "1".repeat(100)],
])("154: a chart that also serves %s is refused before it is pinned", async (_, versions) => {
  await expect(readChart(await chartServing(versions))).rejects.toMatchObject({
    code: "REL_CHART_UNREADABLE",
    params: { detail: expect.stringContaining("at most 20 of at most 63 characters") as string },
  });
});

it("154: 20 versions are served, each once", async () => {
  const { alsoServes } = await readChart(await chartServing([...numbers(20), "0.0.1"].join(", ")));
  expect(alsoServes).toEqual(numbers(20));
});

it("154: a CRD that all versions make larger than the API server stores is refused", () => {
  const schema = { type: "object", properties: { x: { type: "string", description: "x".repeat(100_000) } } };
  const chart = { schema, chartName: "web", chartVersion: "1.0.0" };
  expect(() => generateCrd({ ...chart, alsoServes: numbers(20) })).toThrow("at most 1048576 are allowed");
  expect(generateCrd(chart).spec.versions).toHaveLength(1);
});

it("154: versions with the same schema are merged in time that grows as their number", () => {
  const fields = Array.from({ length: 100 }, (_, index) => [`f${String(index)}`, { type: "string" }]);
  const schema = { type: "object", properties: Object.fromEntries(fields) as Record<string, unknown> };
  const chart = { schema, chartName: "web", chartVersion: "1.0.0" };
  const merge = (versions: number): number => {
    const before = process.cpuUsage().user;
    mergeCrd(generateCrd(chart), generateCrd({ ...chart, chartVersion: "2.0.0", alsoServes: numbers(versions) }));
    return process.cpuUsage().user - before;
  };
  merge(160);
  // Quadratic, eight times as many take 64 times as long.
  expect(merge(160)).toBeLessThan(25 * Math.max(merge(20), 20_000));
});
