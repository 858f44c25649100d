import * as echarts from "echarts";
import { type HourlySeries, HourlyCurve } from "../../src/model/places/intensity.ts";
import type { Candidate } from "../../src/model/policy.ts";
import { choosePlacement } from "../../src/placement/choose-placement.ts";
import type { StartWindow } from "../../src/placement/possible-starts.ts";

const SIZE = { width: 960, height: 400 };
const HOUR_SECONDS = 3600;
const BLUE = "#0072b2";
const GREEN = "#009e73";
const ORANGE = "#d55e00";

export interface Example {
  zone: string;
  candidate: Candidate;
  /** Seconds since 1970. */
  applied: number;
  durationSeconds: number;
  deadline: number;
  /** Seconds since 1970, what the picture shows. */
  from: number;
  to: number;
}

/** The start that the product's own placement chooses, by the measured hours. */
function chosenStart(example: Example, series: HourlySeries): number {
  const { zone, candidate, applied, durationSeconds, deadline } = example;
  const window: StartWindow = {
    nowSeconds: applied,
    durationSeconds,
    deadline,
    pinnedStart: null,
    horizonSeconds: deadline - applied,
  };
  const curve = new HourlyCurve(series.start, series.values, { source: "measured", issuedAt: null, until: null });
  const { ranked } = choosePlacement({
    candidates: [candidate],
    curves: new Map([[zone, curve]]),
    power: { wattsPerVcpu: 1, wattsPerGiB: 0, pue: { default: 1 } },
    objective: { carbon: 1, price: 0, latency: 0 },
    waitingCost: 0.1,
    window,
  });
  return ranked[0]?.start ?? applied;
}

const milliseconds = (seconds: number): number => seconds * 1000;

const band = (from: number, to: number, color: string, name: string): object[] => [
  {
    xAxis: milliseconds(from),
    name,
    itemStyle: { color, opacity: 0.25 },
    label: { color, fontWeight: "bold", position: "insideTop" },
  },
  { xAxis: milliseconds(to) },
];

const line = (at: number, name: string): object => ({ xAxis: milliseconds(at), name, label: { formatter: name } });

/** The curve of one zone, the run if it started at once and the run that was chosen, as an SVG element. */
export function drawCarbonCurve(example: Example, series: HourlySeries): string {
  const { zone, applied, durationSeconds, deadline, from, to } = example;
  const start = chosenStart(example, series);
  const first = (from - series.start) / HOUR_SECONDS;
  const data = [...series.values.subarray(first, (to - series.start) / HOUR_SECONDS)].map((value, hour) => [
    milliseconds(from + hour * HOUR_SECONDS),
    Math.round(value),
  ]);
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, ...SIZE });
  chart.setOption({
    animation: false,
    useUTC: true,
    backgroundColor: "#ffffff",
    textStyle: { fontFamily: "system-ui, sans-serif" },
    title: {
      text: `Carbon intensity of ${zone}, measured in 2022 (gCO2eq/kWh, UTC)`,
      textStyle: { fontSize: 15 },
      left: 20,
      top: 8,
    },
    grid: { left: 60, right: 40, top: 70, bottom: 40 },
    xAxis: {
      type: "time",
      splitLine: { show: true },
      axisLabel: { formatter: "{MMM} {d}, {HH}:{mm}", hideOverlap: true },
    },
    yAxis: { type: "value", min: 0 },
    series: [
      {
        type: "line",
        step: "end",
        showSymbol: false,
        color: BLUE,
        data,
        markArea: {
          data: [
            band(applied, applied + durationSeconds, ORANGE, "start now"),
            band(start, start + durationSeconds, GREEN, "chosen"),
          ],
        },
        markLine: {
          symbol: "none",
          lineStyle: { color: "#444444" },
          data: [line(applied, "applied"), line(deadline, "deadline")],
        },
      },
    ],
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
