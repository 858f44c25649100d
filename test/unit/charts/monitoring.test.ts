import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { DASHBOARDS } from "../../../scripts/dashboards/panels.ts";
import { everyMetric } from "../../../scripts/docs/every-metric.ts";

interface Alert {
  alert: string;
  expr: string;
  annotations: Record<string, string>;
}

const root = new URL("../../../", import.meta.url);
const text = (path: string): Promise<string> => readFile(new URL(path, root), "utf8");

/** The names of all series: a histogram has three kinds. */
const names = new Set(
  Object.values(everyMetric())
    .flat()
    .flatMap(({ name, type }) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
    ),
);

async function alerts(): Promise<Alert[]> {
  const { groups } = parse(await text("charts/landfall/files/alerts.yaml")) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const unknown = (expr: string): string[] => (expr.match(/\blandfall_\w+/g) ?? []).filter((name) => !names.has(name));

it("alerts and dashboards name metrics that exist", async () => {
  const found = await alerts();
  expect(found.length).toBeGreaterThan(20);
  expect(found.flatMap(({ expr }) => unknown(expr))).toEqual([]);
  const queries = DASHBOARDS.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels.flatMap((one) => one.queries)));
  expect(queries.length).toBeGreaterThan(30);
  expect(queries.flatMap(({ expr }) => unknown(expr))).toEqual([]);
});

it("alerts have a runbook with a section of their own, and runbooks have no other", async () => {
  const headings = new Map<string, string[]>();
  for (const { alert, annotations } of await alerts()) {
    const [path = "", anchor] = (annotations["runbook"] ?? "").split("#");
    expect(anchor, alert).toBe(alert.toLowerCase());
    headings.set(path, [...(headings.get(path) ?? []), alert]);
  }
  for (const [path, wanted] of headings) {
    const found = [...(await text(path)).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(found.sort(), path).toEqual(wanted.sort());
  }
});

it("metrics have the names that Prometheus advises, and a help text", () => {
  for (const { name, type, help } of Object.values(everyMetric()).flat()) {
    expect(name).toMatch(/^landfall_[a-z_]+$/);
    if (type === "counter") expect(name).toMatch(/_total$/);
    if (type === "histogram") expect(name).toMatch(/_seconds$/);
    expect(help).toMatch(/^[A-Z0-9].*\.$/);
  }
});
