import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Dashboard, DASHBOARDS, type Panel } from "./panels.ts";

/** Grafana's grid has 24 columns. */
const [COLUMNS, WIDTH, HEIGHT] = [24, 8, 8];
const SOURCE = { type: "prometheus", uid: "${datasource}" };

interface Placed {
  x: number;
  y: number;
}

const graph = ({ title, unit, queries }: Panel, id: number, { x, y }: Placed): object => ({
  ...{ id, title, type: "timeseries", datasource: SOURCE },
  gridPos: { x, y, w: WIDTH, h: HEIGHT },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: queries.map(({ expr, legend }, index) => ({
    ...{ refId: String.fromCodePoint("A".charCodeAt(0) + index), datasource: SOURCE },
    ...{ expr, legendFormat: legend },
  })),
});

/** The panels from left to right, below the title of their row. */
function laidOut({ rows }: Dashboard): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: "row",
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: 1 },
    });
    y += 1;
    inRow.forEach((panel, index) => {
      const place = { x: (index * WIDTH) % COLUMNS, y: y + Math.floor((index * WIDTH) / COLUMNS) * HEIGHT };
      panels.push(graph(panel, panels.length + 1, place));
    });
    y += Math.ceil((inRow.length * WIDTH) / COLUMNS) * HEIGHT;
  }
  return panels;
}

const render = (dashboard: Dashboard): string =>
  `${JSON.stringify(
    {
      ...{ uid: dashboard.name, title: dashboard.title, tags: ["landfall"], schemaVersion: 39, version: 1 },
      ...{ editable: true, refresh: "30s", time: { from: "now-6h", to: "now" }, timezone: "utc" },
      templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus" }] },
      panels: laidOut(dashboard),
    },
    null,
    2,
  )}\n`;

/** Writes Grafana's dashboards into the chart, or with `check` only answers whether they would change. */
export async function generateDashboards({ check }: { check: boolean }): Promise<string[]> {
  const changed: string[] = [];
  for (const dashboard of DASHBOARDS) {
    const path = `charts/landfall/files/dashboards/${dashboard.name}.json`;
    const file = fileURLToPath(new URL(`../../${path}`, import.meta.url));
    const wanted = render(dashboard);
    if ((await readFile(file, "utf8").catch(() => "")) === wanted) continue;
    if (!check) await writeFile(file, wanted);
    changed.push(path);
  }
  return changed;
}
