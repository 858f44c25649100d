import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { lintSchema } from "../../src/composition/definition/lint/lint-schema.ts";
import { parse } from "yaml";
import { nameKind } from "../../src/composition/definition/name-kind.ts";
import { toolPath } from "../../src/toolchain/tool-path.ts";
import { generateChartSchemas } from "../generate/generate-chart-schemas.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** This chart installs Landfall itself: no kind is made of its values, so Krateo's generator never reads them. */
const OWN = join(root, "charts", "landfall");

async function chartFolders(): Promise<string[]> {
  const entries = await readdir(join(root, "charts"), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(root, "charts", entry.name));
}

/** helm lint --strict, with each of the chart's ci values as users would give them. */
async function lintChart(helm: string, chart: string): Promise<string[]> {
  const files = (await readdir(join(chart, "ci"))).filter((file) => file.endsWith("-values.yaml")).sort();
  if (files.length === 0) return [`${chart}: ci/ holds no values`];
  const problems: string[] = [];
  for (const file of files) {
    const args = ["lint", "--strict", chart, "--values", join(chart, "ci", file)];
    const result = await execa(helm, args, { reject: false });
    if (result.failed) problems.push(`${chart} with ci/${file}: ${result.message}`);
  }
  return problems;
}

async function lintValuesSchema(chart: string): Promise<string[]> {
  const schema = JSON.parse(await readFile(join(chart, "values.schema.json"), "utf8")) as Record<string, unknown>;
  const { name } = parse(await readFile(join(chart, "Chart.yaml"), "utf8")) as { name: string };
  const errors = lintSchema(schema, nameKind(name).kind).filter((problem) => problem.level === "error");
  return errors.map(({ path, message }) => `${chart}/values.schema.json: ${path}: ${message}`);
}

/** What is wrong with the charts in these folders, the project's own where left out; empty where nothing is. */
export async function checkCharts(folders?: readonly string[]): Promise<string[]> {
  const helm = await toolPath("helm");
  const drift = (await generateChartSchemas({ check: true })).map(
    (file) => `${file} is out of date: npm run generate charts`,
  );
  const charts = folders ?? (await chartFolders());
  const problems = await Promise.all([
    ...charts.map((chart) => lintChart(helm, chart)),
    ...charts.filter((chart) => chart !== OWN).map((chart) => lintValuesSchema(chart)),
  ]);
  return [...drift, ...problems.flat()];
}
