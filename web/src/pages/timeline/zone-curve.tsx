import { type ReactElement, useId, useMemo } from "react";
import type { TimelineZone, ZoneHour } from "../../../../src/console/contract/timeline.ts";
import { intensityColour, intensityText } from "../../ui/scale.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { type TimeScale, xOf } from "./time-scale.ts";

const HEIGHT = 72;

const KNOWN = {
  measured: "measured",
  forecast: "forecast",
  expected: "expected from past years",
} as const satisfies Record<ZoneHour["known"], string>;

/** How the hours of a zone are known, e.g. `measured, then forecast`. */
export function knownText(hours: readonly ZoneHour[]): string {
  const kinds = hours.map(({ known }) => known).filter((known, at, all) => known !== all[at - 1]);
  return kinds.map((known) => KNOWN[known]).join(", then ");
}

interface ZoneCurveProps {
  zone: TimelineZone;
  scale: TimeScale;
  /** Top of the picture, gCO2eq/kWh, the same for all zones of the page. */
  most: number;
}

/** The points of the band's upper edge from left to right, and of the lower one back. */
function bandPath(hours: readonly ZoneHour[], x: (hour: number) => number, y: (value: number) => number): string {
  const known = hours.flatMap(({ low, high }, hour) => (low === null || high === null ? [] : [{ low, high, hour }]));
  if (known.length === 0) return "";
  const upper = known.flatMap(({ high, hour }) => [
    `${x(hour).toFixed(1)},${y(high).toFixed(1)}`,
    `${x(hour + 1).toFixed(1)},${y(high).toFixed(1)}`,
  ]);
  const lower = known
    .toReversed()
    .flatMap(({ low, hour }) => [
      `${x(hour + 1).toFixed(1)},${y(low).toFixed(1)}`,
      `${x(hour).toFixed(1)},${y(low).toFixed(1)}`,
    ]);
  return `M${[...upper, ...lower].join("L")}Z`;
}

/** The intensity of a zone hour by hour: solid if it was measured, hatched if not, and the forecast's error band as a frame. */
export function ZoneCurve({ zone, scale, most }: ZoneCurveProps): ReactElement {
  const hatch = useId();
  const { hours } = zone;
  const drawn = useMemo(() => {
    const x = (hour: number): number => xOf(scale, scale.from + hour * HOUR_MS);
    const y = (value: number): number => HEIGHT - (Math.min(value, most) / Math.max(1, most)) * (HEIGHT - 4);
    const bars = hours.map(({ value, known }, hour) => ({
      ...{ hour, known, x: x(hour), width: Math.max(1, x(hour + 1) - x(hour)), y: y(value) },
      fill: intensityColour(value),
    }));
    return { bars, band: bandPath(hours, x, y) };
  }, [hours, scale, most]);
  const values = hours.map(({ value }) => value);
  const text = `${zone.zone}: ${intensityText(Math.min(...values))} to ${intensityText(Math.max(...values))} g CO2e per kWh, ${knownText(hours)}`;
  return (
    <svg className="zone-curve" width={scale.width} height={HEIGHT} role="img" aria-label={text}>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" className="hatch" />
        </pattern>
      </defs>
      {drawn.bars.map(({ hour, known, x, y, width, fill }) => (
        <g key={hour}>
          <rect x={x} y={y} width={width} height={HEIGHT - y} fill={fill} />
          {known === "measured" ? null : <rect x={x} y={y} width={width} height={HEIGHT - y} fill={`url(#${hatch})`} />}
        </g>
      ))}
      {drawn.band === "" ? null : <path className="band" d={drawn.band} />}
    </svg>
  );
}
