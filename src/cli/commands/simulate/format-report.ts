import handlebars from "handlebars";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import type { Simulated, Simulation } from "../../../simulate/simulate.ts";
import { intensityWithPlacements, loadPerRegion, savingsByPolicy, savingsBySlack, drawChart } from "./charts.ts";
import { frontierChart, shownPolicies } from "./frontier-chart.ts";
import { figureRows, HEAD } from "./format-simulation.ts";

// prose-ok: an HTML page with a style sheet
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>landfall simulate</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1080px; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2.5rem 0 0; } p { color: #555; margin: .25rem 0 1rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid #ddd; } th:first-child, td:first-child { text-align: left; }
th { font-weight: 600; color: #555; font-size: .8rem; } tr.ours { font-weight: 600; background: #e8f5ee; } svg { max-width: 100%; height: auto; }
</style>
</head>
<body>
<h1>{{title}}</h1>
<p>{{subtitle}}</p>
<table>
<thead><tr>{{#each head}}<th>{{this}}</th>{{/each}}</tr></thead>
<tbody>{{#each rows}}<tr{{#if ours}} class="ours"{{/if}}>{{#each cells}}<td>{{this}}</td>{{/each}}</tr>
{{/each}}</tbody>
</table>
{{#each charts}}<h2>{{title}}</h2>
<p>{{about}}</p>
{{{svg}}}
{{/each}}</body>
</html>
`;

export interface PlotOptions {
  simulation: Simulation;
  series: ReadonlyMap<string, HourlySeries>;
  /** Grams of each job under a policy, in the order of the tasks. */
  gramsOf: (one: Simulated) => number[];
}

/** A plot as an SVG element, with its words. */
export interface Plot {
  title: string;
  about: string;
  svg: string;
}

/** Four plots, and the frontier if it was measured. */
export function plotsOf({ simulation, series, gramsOf }: PlotOptions): Plot[] {
  const charts = [
    {
      title: "Savings by policy",
      about: "Less CO2 than running each job on arrival at its origin.",
      svg: drawChart(savingsByPolicy(simulation)),
    },
    {
      title: "Intensity, and where and when our jobs start",
      about: "The zones that ours uses most, over two weeks in the middle of the workload; a dot is a job's start.",
      svg: drawChart(intensityWithPlacements(simulation, series)),
    },
    {
      title: "Load per region",
      about: "Share of all vCPU·h that a region runs.",
      svg: drawChart(loadPerRegion(simulation)),
    },
    {
      title: "Savings against slack",
      about: "Jobs grouped by the hours between their arrival and their latest start.",
      svg: drawChart(savingsBySlack(simulation, gramsOf)),
    },
  ];
  const plot = { ...simulation, policies: simulation.policies.map(({ figures }) => figures) };
  if (simulation.frontier.length > 0) {
    const { omitted } = shownPolicies(plot);
    const below = omitted.length === 0 ? "" : ` Below the picture: ${omitted.join(", ")}.`;
    charts.push({
      title: "Saving against mean delay",
      about: `Each point is a cost of a day of waiting; the larger ones are the cost in force.${below}`,
      svg: drawChart(frontierChart(plot)),
    });
  }
  return charts;
}

/** The report as one self-contained HTML file: the figures and the plots. `subtitle`: the options as text. */
export function formatReport(simulation: Simulation, charts: readonly Plot[], subtitle: string): string {
  const rows = figureRows(simulation).map((cells) => ({ cells, ours: cells[0] === "ours" }));
  return handlebars.compile(PAGE)({ title: "landfall simulate", subtitle, head: HEAD, rows, charts });
}
