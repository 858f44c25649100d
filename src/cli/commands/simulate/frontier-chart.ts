import type { EChartsOption, SeriesOption } from "echarts";
import { labelSides, type Named, type Side } from "./label-sides.ts";
import type { FrontierFigures, FrontierPoint } from "../../../simulate/frontier.ts";

/** The drawn data: the content of `landfall simulate --json` with `--frontier`. */
export interface FrontierPlot {
  /** The first one is the baseline. */
  policies: readonly ({ name: string } & FrontierFigures)[];
  upperBound: { kgCO2: number };
  frontier: readonly FrontierPoint[];
  /** The cost that counts without another one, which the picture marks. */
  waitingCostPercent: number;
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

interface Drawn {
  value: Point;
  label: { position: Side };
  symbolSize?: number;
}

/** Point symbols, in pixels; that of the cost in force is larger. */
const [SYMBOL, IN_FORCE] = [7, 13] as const;
const IN_FORCE_LABEL = ", in force";

const line = (name: string, data: Drawn[]): SeriesOption => ({
  type: "line",
  ...{ name, data, symbolSize: SYMBOL, encode: { x: 0, y: 1 } },
  label: { show: true, formatter: ({ value }) => (value as Point)[2], color: "inherit" },
});

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

interface Series {
  points: Point[];
  /** The side of a name that is tried first. */
  first?: Side;
  isLine: boolean;
}

/** The ends of both axes. The lowest point stays above the lower one, or its name would stand on it. */
function endsOf(points: readonly Point[]): { delay: number; low: number; high: number } {
  const heights = points.map(([, share]) => share);
  const [least, most] = [Math.min(...heights), Math.max(...heights)];
  const [low, high] = axisEnds(least - 0.05 * (most - least), most);
  const [, delay] = axisEnds(0, Math.max(...points.map(([hour]) => hour)));
  return { delay, low, high };
}

/** The side of the name of each point, where it meets no other name and no line. */
function sidesOf(series: readonly Series[], { delay, low, high }: ReturnType<typeof endsOf>): Side[][] {
  const inPixels = ([hour, share, name]: Point): Named => ({
    ...{ x: (WIDTH * hour) / delay, y: (HEIGHT * (share - low)) / (high - low), name },
  });
  const named = series.flatMap(({ points, first }) =>
    points.map((point) => ({ ...inPixels(point), ...(first === undefined ? {} : { first }) })),
  );
  const lines = series.filter(({ isLine }) => isLine).map(({ points }) => points.map(inPixels));
  const sides = labelSides(named, lines, WIDTH + MARGIN);
  return series.map(({ points }, at) => {
    const before = series.slice(0, at).reduce((sum, one) => sum + one.points.length, 0);
    return sides.slice(before, before + points.length);
  });
}

/** Saving against mean delay: a line for each of Landfall and perfect knowledge over the costs of waiting, and the policies. */
export function frontierChart(plot: FrontierPlot): EChartsOption {
  const share = shares(plot);
  const isInForce = plot.frontier.map(({ waitingCostPercent }) => waitingCostPercent === plot.waitingCostPercent);
  const pointsOf = (name: "ours" | "clairvoyant"): Point[] =>
    plot.frontier.map(({ [name]: figures, waitingCostPercent }, at) => [
      hours(figures.meanDelayHours),
      share(figures.kgCO2),
      `${String(waitingCostPercent)} %${isInForce[at] === true ? IN_FORCE_LABEL : ""}`,
    ]);
  const series: Series[] = [
    { points: pointsOf("ours"), first: "bottom", isLine: true },
    { points: pointsOf("clairvoyant"), first: "top", isLine: true },
    { points: shownPolicies(plot).shown, isLine: false },
  ];
  const ends = endsOf(series.flatMap(({ points }) => points));
  const sides = sidesOf(series, ends);
  const [ours = [], best = [], others = []] = series.map(({ points }, of) =>
    points.map((value, at): Drawn => ({ value, label: { position: sides[of]?.[at] ?? "right" } })),
  );
  const marked = (drawn: Drawn[]): Drawn[] =>
    drawn.map((one, at) => (isInForce[at] === true ? { ...one, symbolSize: IN_FORCE } : one));
  return {
    legend: { top: 8, right: 30, itemGap: 28 },
    xAxis: { type: "value", name: "mean delay, h", nameLocation: "middle", nameGap: 32, max: ends.delay },
    yAxis: {
      ...{ type: "value", name: "share of the greatest saving, %", nameTextStyle: { align: "left" } },
      ...{ min: ends.low, max: ends.high },
    },
    series: [
      line("Landfall, by the cost of waiting", marked(ours)),
      line("perfect knowledge", marked(best)),
      {
        type: "scatter",
        name: "other policies",
        symbol: "diamond",
        symbolSize: 12,
        data: others,
        label: {
          show: true,
          formatter: ({ value }) => (value as Point)[2],
          color: "inherit",
        },
      },
    ],
  };
}
