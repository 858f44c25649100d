import type { EChartsOption, SeriesOption } from "echarts";
import { labelSides, type Named, type Side } from "./label-sides.ts";
import type { FrontierFigures, FrontierPoint } from "../../../simulate/frontier.ts";

/** The drawn data: the content of `landfall simulate --json` with `--frontier`. */
export interface FrontierPlot {
  /** The first one is the baseline. */
  policies: readonly ({ name: string } & FrontierFigures)[];
  upperBound: { kgCO2: number };
  frontier: readonly FrontierPoint[];
}

/** A point this much of the frontier's height below its lowest point is omitted: it would flatten the lines. */
const BELOW = 1;

const hours = (value: number): number => Math.round(value * 100) / 100;

/** Share of the greatest possible saving, in percent. */
function shares({ policies, upperBound }: FrontierPlot): (kgCO2: number) => number {
  const baseline = policies[0]?.kgCO2 ?? 0;
  const possible = baseline - upperBound.kgCO2;
  return (kgCO2) => (possible <= 0 ? 0 : Math.round((10_000 * (baseline - kgCO2)) / possible) / 100);
}

type Point = [delay: number, share: number, label: string];

function line(name: string, points: readonly Point[]): SeriesOption {
  return {
    type: "line",
    name,
    symbolSize: 7,
    data: points.map((value) => ({ value })),
    encode: { x: 0, y: 1 },
    label: { show: true, position: "top", formatter: ({ value }) => (value as Point)[2], color: "inherit" },
  };
}

/** The policies that the picture shows, and the names of the others. */
export function shownPolicies(plot: FrontierPlot): { shown: Point[]; omitted: string[] } {
  const share = shares(plot);
  const lines = plot.frontier.flatMap(({ ours, clairvoyant }) => [share(ours.kgCO2), share(clairvoyant.kgCO2)]);
  const [low, high] = [Math.min(...lines), Math.max(...lines)];
  // The baseline is the origin of the picture.
  const others = plot.policies.slice(1).filter(({ name }) => !/^(?:ours|clairvoyant.*)$/.test(name));
  const points = others.map(({ name, kgCO2, meanDelayHours }): Point => [hours(meanDelayHours), share(kgCO2), name]);
  const fits = ([, value]: Point): boolean => value >= low - BELOW * (high - low);
  return {
    shown: points.filter(fits),
    omitted: points.filter((point) => !fits(point)).map(([, value, name]) => `${name} (${value.toFixed(0)} %)`),
  };
}

/** Pixels of the drawing area, without its margins. */
const [WIDTH, HEIGHT] = [940, 270] as const;
/** Pixels to the right of it. */
const MARGIN = 30;

/** The ends of an axis as the plotting library draws it: multiples of a round step, of which about five cover the values. */
export function axisEnds(low: number, high: number): [low: number, high: number] {
  const wanted = (high - low) / 5;
  if (!(wanted > 0)) return [low - 1, high + 1];
  const power = 10 ** Math.floor(Math.log10(wanted));
  const [, factor] = (
    [
      [1.5, 1],
      [2.5, 2],
      [4, 3],
      [7, 5],
    ] as const
  ).find(([end]) => wanted / power < end) ?? [10, 10];
  const step = factor * power;
  return [Math.floor(low / step) * step, Math.ceil(high / step) * step];
}

/** The other policies, with their names where none meets another one. */
function named(plot: FrontierPlot, lines: readonly Point[]): { value: Point; label: { position: Side } }[] {
  const { shown } = shownPolicies(plot);
  const all = [...lines, ...shown];
  const [, delay] = axisEnds(0, Math.max(...all.map(([hour]) => hour)));
  const heights = all.map(([, share]) => share);
  const [low, high] = axisEnds(Math.min(...heights), Math.max(...heights));
  const inPixels = ([hour, share, name]: Point): Named => ({
    ...{ x: (WIDTH * hour) / delay, y: (HEIGHT * (share - low)) / (high - low), name },
  });
  const sides = labelSides(shown.map(inPixels), lines.map(inPixels), WIDTH + MARGIN);
  return shown.map((value, index) => ({ value, label: { position: sides[index] ?? "right" } }));
}

/** Saving against mean delay: a line for each of Landfall and perfect knowledge over the costs of waiting, and the policies. */
export function frontierChart(plot: FrontierPlot): EChartsOption {
  const share = shares(plot);
  // One label names the unit of all.
  const dearest = Math.max(...plot.frontier.map(({ waitingCostPercent }) => waitingCostPercent));
  const points = (name: "ours" | "clairvoyant"): Point[] =>
    plot.frontier.map(({ [name]: figures, waitingCostPercent }) => [
      hours(figures.meanDelayHours),
      share(figures.kgCO2),
      `${String(waitingCostPercent)} %${waitingCostPercent === dearest ? " a day" : ""}`,
    ]);
  return {
    legend: { top: 8, right: 30, itemGap: 28 },
    xAxis: { type: "value", name: "mean delay, h", nameLocation: "middle", nameGap: 32 },
    yAxis: { type: "value", name: "share of the greatest saving, %", scale: true, nameTextStyle: { align: "left" } },
    series: [
      line("Landfall, by the cost of waiting", points("ours")),
      line("perfect knowledge", points("clairvoyant")),
      {
        type: "scatter",
        name: "other policies",
        symbol: "diamond",
        symbolSize: 12,
        data: named(plot, [...points("ours"), ...points("clairvoyant")]),
        label: {
          show: true,
          formatter: ({ value }) => (value as Point)[2],
          color: "inherit",
        },
      },
    ],
  };
}
