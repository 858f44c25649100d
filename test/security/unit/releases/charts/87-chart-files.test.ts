import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findInIndex } from "../../../../../src/composition/chart/find-in-index.ts";
import { readChart } from "../../../../../src/composition/chart/read-chart.ts";

const WRONG: [string, string][] = [
  ["of brackets", "]\n"],
  ["of lists", "- [a\n"],
  ["of anchors", "&a [*a,"],
];
const text = (unit: string, kib: number): string => unit.repeat(Math.floor((kib * 1024) / unit.length));

describe("87: a chart repository's file that takes long to parse", () => {
  it.each(WRONG)("a Chart.yaml %s is refused before it is parsed", async (_what, unit) => {
    const directory = await mkdtemp(join(tmpdir(), "landfall-87-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    await writeFile(join(directory, "Chart.yaml"), text(unit, 30));
    await expect(readChart(directory)).rejects.toMatchObject({
      code: "REL_CHART_UNREADABLE",
      params: { chart: join(directory, "Chart.yaml"), detail: "it has more than 8000 YAML tokens" },
    });
  });

  it.each(WRONG)("an index.yaml %s is refused before it is parsed", (_what, unit) => {
    expect(() => findInIndex(text(unit, 30), "web", undefined)).toThrow("more than 12000 YAML tokens");
  });

  it("an entry of brackets in a long index is refused before it is parsed", () => {
    const entry = `entries:\n  web:\n  - version: 1.0.0\n${text("    ]\n", 30)}\n${text("# more\n", 8)}`;
    expect(() => findInIndex(entry, "web", "1.0.0")).toThrow("more than 12000 YAML tokens");
  });
});
