import * as echarts from "echarts";
import type { EChartsOption } from "echarts";

const WIDTH = 1040;
const HEIGHT = 380;
const FONT = "system-ui, sans-serif";
// Distinct for the colour-blind too (Okabe and Ito).
const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];

/** The chart as an SVG element; no browser is needed for it. */
export function drawChart(option: EChartsOption): string {
  const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height: HEIGHT });
  const grid = { left: 70, right: 30, top: 50, bottom: 60, ...option.grid };
  chart.setOption({ animation: false, color: COLORS, textStyle: { fontFamily: FONT }, ...option, grid });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
