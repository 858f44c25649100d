import { type KeyboardEvent, type PointerEvent, type ReactElement, useState } from "react";
import { relativeText, timeText } from "../../ui/format.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { hourAt, isShown, ticksOf, type TimeScale, xOf } from "./time-scale.ts";

interface HourRulerProps {
  scale: TimeScale;
  now: Date;
  /** The chosen hour, ms since 1970. */
  hour: number;
  /** Called while the hour is dragged, and with `done` when it rests. */
  onChange: (hour: number, done: boolean) => void;
}

const DAY = 24 * HOUR_MS;
const STEPS: Readonly<Record<string, number>> = {
  ...{ ArrowRight: HOUR_MS, ArrowUp: HOUR_MS, ArrowLeft: -HOUR_MS, ArrowDown: -HOUR_MS },
  ...{ PageUp: DAY, PageDown: -DAY, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY },
};

const clockText = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const dayText = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "2-digit" });

/** The hours, along which one is chosen: by dragging, or with the arrow keys. */
export function HourRuler({ scale, now, hour, onChange }: HourRulerProps): ReactElement {
  const [isDragged, setDragged] = useState(false);
  const last = scale.from + (scale.hours - 1) * HOUR_MS;
  const within = (time: number): number => Math.min(last, Math.max(scale.from, time));
  const pointed = (event: PointerEvent<HTMLElement>): number =>
    hourAt(scale, event.clientX - event.currentTarget.getBoundingClientRect().left);
  const press = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onChange(within(hour + step), true);
  };
  const time = new Date(hour);
  return (
    <div
      className="ruler"
      role="slider"
      tabIndex={0}
      aria-label="Hour; drag, or use the arrow keys"
      aria-valuemin={0}
      aria-valuemax={scale.hours - 1}
      aria-valuenow={Math.round((within(hour) - scale.from) / HOUR_MS)}
      aria-valuetext={`${timeText(time, now)}, ${relativeText(time, now)}`}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDragged(true);
        onChange(pointed(event), false);
      }}
      onPointerMove={(event) => {
        if (isDragged) onChange(pointed(event), false);
      }}
      onPointerUp={(event) => {
        if (isDragged) onChange(pointed(event), true);
        setDragged(false);
      }}
      onPointerCancel={() => setDragged(false)}
    >
      <svg width={scale.width} height={44} aria-hidden="true">
        {ticksOf(scale).map(({ time: tick, isMidnight }) => (
          <g key={tick} transform={`translate(${xOf(scale, tick).toFixed(1)} 0)`}>
            <line className={isMidnight ? "tick tick-day" : "tick"} y1={isMidnight ? 0 : 36} y2={44} />
            <text x={4} y={isMidnight ? 12 : 26}>
              {isMidnight ? dayText.format(tick) : clockText.format(tick)}
            </text>
          </g>
        ))}
        {isShown(scale, hour) ? <path className="grip" d={`M${xOf(scale, hour).toFixed(1)} 44l-6-6v-8h12v8z`} /> : null}
      </svg>
    </div>
  );
}
