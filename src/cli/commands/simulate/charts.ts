import type { EChartsOption, SeriesOption } from "echarts";
import * as echarts from "echarts";
import type { HourlySeries } from "../../../model/places/intensity.ts";
import { HOUR_SECONDS } from "../../../model/time.ts";
import { loadByRegion } from "../../../simulate/measure-policy.ts";
import { type Simulated, type Simulation, slackHours } from "../../../simulate/simulate.ts";

const WIDTH = 1040;
const HEIGHT = 380;
const FONT = "system-ui, sans-serif";
// Distinguishable for colour-blind readers (Okabe and Ito).
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];

/** The chart as an SVG element, without a browser. */
export function drawChart(option: EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  const grid = { left: 70, right: 30, top: 50, bottom: 60, ...option.grid };
  chart.setOption({ animation: false, color: COLORS, textStyle: { fontFamily: FONT }, ...option, grid });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

const SHOWN_HOURS = 14 * 24;
const SHOWN_ZONES = 4;
const SHOWN_REGIONS = 14;
/** Upper ends of the classes of slack, in hours. */
const SLACKS = [12, 24, 48, 72, 96, 120, 144, 168];

const percent = (value: number): number => Math.round(value * 1000) / 10;
const policy = ({ policies }: Simulation, name: string): Simulated | undefined =>
  policies.find(({ figures }) => figures.name === name);

/** The names with the highest counts. */
const greatest = (counts: ReadonlyMap<string, number>, count: number): string[] =>
  [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([name]) => name);

/** Kilograms saved against the baseline, by policy. */
export function savingsByPolicy({ policies }: Simulation): EChartsOption {
  const baseline = policies[0]?.figures.kgCO2 ?? 0;
  const others = policies.slice(1).reverse();
  return {
    grid: { left: 170, right: 80 },
    xAxis: { type: "value", name: "saved, %", nameLocation: "middle", nameGap: 32 },
    yAxis: { type: "category", data: others.map(({ figures }) => figures.name) },
    series: [
      {
        type: "bar",
        data: others.map(({ figures }) => (baseline === 0 ? 0 : percent(1 - figures.kgCO2 / baseline))),
        label: { show: true, position: "right", formatter: "{c} %" },
      },
    ],
  };
}

/** Share of all load in each of the most used regions. */
export function loadPerRegion(simulation: Simulation): EChartsOption {
  const shown = ["ours", "clairvoyant", "run-now-at-origin"].flatMap((name) => policy(simulation, name) ?? []);
  const loads = shown.map(({ placed }) => loadByRegion(simulation.tasks, placed));
  const total = [...(loads[0]?.values() ?? [])].reduce((sum, load) => sum + load, 0) || 1;
  const most = new Map<string, number>();
  for (const load of loads) for (const [place, value] of load) most.set(place, Math.max(most.get(place) ?? 0, value));
  const regions = greatest(most, SHOWN_REGIONS);
  return {
    grid: { bottom: 110 },
    legend: { top: 8, itemGap: 28 },
    xAxis: { type: "category", data: regions, axisLabel: { rotate: 35, interval: 0 } },
    yAxis: { type: "value", name: "share of load, %" },
    series: shown.map(({ figures }, index) => ({
      type: "bar",
      name: figures.name,
      data: regions.map((region) => percent((loads[index]?.get(region) ?? 0) / total)),
    })),
  };
}

/** Total savings of the jobs in each class of slack. `gramsOf` gives each job's grams in the order of the tasks. */
export function savingsBySlack(simulation: Simulation, gramsOf: (one: Simulated) => number[]): EChartsOption {
  const classes = simulation.tasks.map((task) => SLACKS.findIndex((end) => slackHours(task) <= end));
  const sums = (one: Simulated): number[] => {
    const grams = gramsOf(one);
    return SLACKS.map((_, at) => grams.reduce((sum, value, job) => sum + (classes[job] === at ? value : 0), 0));
  };
  const baseline = simulation.policies.slice(0, 1).flatMap(sums);
  const saved = (value: number, at: number): number | null => {
    const before = baseline[at] ?? 0;
    return before === 0 ? null : percent(1 - value / before);
  };
  return {
    legend: { top: 8, itemGap: 28 },
    xAxis: {
      type: "category",
      data: SLACKS.map((end) => `≤ ${String(end)} h`),
      name: "slack",
      nameLocation: "middle",
      nameGap: 32,
    },
    yAxis: { type: "value", name: "saved, %", scale: true },
    series: simulation.policies
      .slice(1)
      .filter(({ figures }) => figures.name !== "random-region")
      .map((one) => ({ type: "line", name: one.figures.name, data: sums(one).map(saved) })),
  };
}

/** Intensity of the zones that Landfall's policy uses most, over two weeks in the middle, with the starts. */
export function intensityWithPlacements(
  { tasks, policies }: Simulation,
  recorded: ReadonlyMap<string, HourlySeries>,
): EChartsOption {
  const placed = policies.find(({ figures }) => figures.name === "ours")?.placed ?? [];
  const middle = tasks[Math.floor(tasks.length / 2)]?.job.arrival ?? 0;
  const from = Math.floor(middle / HOUR_SECONDS) * HOUR_SECONDS - (SHOWN_HOURS / 2) * HOUR_SECONDS;
  const shown = placed.filter(({ start }) => start >= from && start < from + SHOWN_HOURS * HOUR_SECONDS);
  const used = new Map<string, number>();
  for (const { candidate } of shown) {
    used.set(candidate.electricityZone ?? "", (used.get(candidate.electricityZone ?? "") ?? 0) + 1);
  }
  const series = greatest(used, SHOWN_ZONES).flatMap((zone): SeriesOption[] => {
    const { start = 0, values } = recorded.get(zone) ?? {};
    const at = (time: number): number | null => values?.[Math.floor((time - start) / HOUR_SECONDS)] ?? null;
    const hours = Array.from({ length: SHOWN_HOURS }, (_, hour) => from + hour * HOUR_SECONDS);
    const runs = shown.filter(({ candidate }) => candidate.electricityZone === zone);
    return [
      { type: "line", name: zone, showSymbol: false, data: hours.map((time) => [time * 1000, at(time)]) },
      { type: "scatter", name: zone, symbolSize: 7, data: runs.map((run) => [run.start * 1000, at(run.start)]) },
    ];
  });
  // A line and its dots in the same colour, because the palette assigns colours by name.
  return {
    useUTC: true,
    legend: { top: 8, itemGap: 28 },
    xAxis: { type: "time" },
    yAxis: { type: "value", name: "gCO2eq/kWh" },
    series,
  };
}
