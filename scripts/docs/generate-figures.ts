import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Candidate } from "../../src/model/policy.ts";
import { readCarbonSeries } from "../../src/simulate/read-carbon-series.ts";
import { drawCarbonCurve, type Example } from "./draw-carbon-curve.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PATH = "docs/images/carbon-curve.svg";
const YEAR = 2022;

const seconds = (time: string): number => Date.parse(time) / 1000;

/** Only the zone and the size of a candidate matter with one place and carbon as the only objective. */
const CANDIDATE: Candidate = {
  place: "azure/germanywestcentral",
  provider: "azure",
  region: "germanywestcentral",
  zone: null,
  instanceType: "Standard_D4as_v5",
  vcpus: 4,
  memoryGiB: 16,
  pricePerHour: null,
  latencyMs: null,
  latencySource: null,
  electricityZone: "DE",
  image: null,
};

/** Six hours of work that are applied on a Monday morning and have to be over on Friday evening. */
const EXAMPLE: Example = {
  zone: "DE",
  candidate: CANDIDATE,
  applied: seconds("2022-05-09T06:00:00Z"),
  durationSeconds: 6 * 3600,
  deadline: seconds("2022-05-13T18:00:00Z"),
  from: seconds("2022-05-09T00:00:00Z"),
  to: seconds("2022-05-14T00:00:00Z"),
};

/** Writes the picture of the carbon curve, or with `check` only answers whether it would change. */
export async function generateFigures({ check }: { check: boolean }): Promise<string[]> {
  const series = (await readCarbonSeries(root, YEAR)).get(EXAMPLE.zone);
  if (series === undefined) return [PATH];
  const wanted = drawCarbonCurve(EXAMPLE, series);
  const current = await readFile(join(root, PATH), "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(join(root, PATH), wanted);
  return [PATH];
}
