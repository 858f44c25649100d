import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { everyMetric, type KnownMetric } from "./every-metric.ts";

const PATH = "docs/reference/metrics.md";
const target = fileURLToPath(new URL(`../../${PATH}`, import.meta.url));

const rowOf = ({ name, type, labels, help }: KnownMetric): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help.replaceAll("|", "\\|")} |`;

function render(): string {
  const sections = Object.entries(everyMetric()).flatMap(([process, metrics]) => [
    `## ${process.slice(0, 1).toUpperCase()}${process.slice(1)}`,
    "",
    "| metric | type | labels | meaning |",
    "|---|---|---|---|",
    ...metrics.map(rowOf),
    "",
  ]);
  return [
    "# Metrics",
    "",
    "Generated from the code by `npm run generate`. [Runbooks](../runbooks/README.md) say how they are read, and what to do at an alert.",
    "No label holds a name that users choose: names of objects and namespaces are in the log and in the [decision log](../operations/decision-log.md).",
    "",
    ...sections,
  ].join("\n");
}

/** Writes docs/reference/metrics.md, or with `check` only answers whether it would change. */
export async function generateMetricsDocs({ check }: { check: boolean }): Promise<string[]> {
  const wanted = render();
  const current = await readFile(target, "utf8").catch(() => "");
  if (current === wanted) return [];
  if (!check) await writeFile(target, wanted);
  return [PATH];
}
