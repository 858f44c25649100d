import type { ReactElement } from "react";
import type { OtherStart, Starts } from "../../../../src/console/contract/timeline.ts";
import { digits } from "../../ui/format.ts";

const [WIDTH, HEIGHT] = [328, 96] as const;

type Point = { at: number; grams: number };

const pointsOf = (starts: readonly OtherStart[], side: "here" | "best"): Point[] =>
  starts.flatMap(({ start, [side]: found }) =>
    found?.grams == null ? [] : [{ at: Date.parse(start), grams: found.grams }],
  );

/** The grams of each start, in the decided place and in the best one; a click chooses the hour. */
export function StartsCurve({
  data,
  hour,
  onHour,
}: {
  data: Starts;
  hour: number;
  onHour: (hour: number) => void;
}): ReactElement | null {
  const [here, best] = [pointsOf(data.starts, "here"), pointsOf(data.starts, "best")];
  const all = [...here, ...best];
  if (best.length < 2) return null;
  const [first, last] = [Math.min(...all.map(({ at }) => at)), Math.max(...all.map(({ at }) => at))];
  const most = Math.max(...all.map(({ grams }) => grams));
  const x = (at: number): number => ((at - first) / Math.max(1, last - first)) * WIDTH;
  const y = (grams: number): number => HEIGHT - 4 - (grams / Math.max(1e-9, most)) * (HEIGHT - 12);
  const line = (points: Point[]): string =>
    points.map(({ at, grams }) => `${x(at).toFixed(1)},${y(grams).toFixed(1)}`).join(" ");
  const least = Math.min(...best.map(({ grams }) => grams));
  const decided = data.decided === null ? null : Date.parse(data.decided.start);
  const text = `Grams of each start: ${digits(least)} to ${digits(most)}; solid in the same place, dashed in the best one`;
  return (
    <figure>
      <svg
        className="curve starts-curve"
        viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
        role="img"
        aria-label={text}
        onClick={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          const at = first + ((event.clientX - left) / width) * (last - first);
          onHour(Math.floor(at / 3_600_000) * 3_600_000);
        }}
      >
        <polyline points={line(here)} />
        <polyline className="dashed" points={line(best)} />
        {hour >= first && hour <= last ? <line x1={x(hour)} x2={x(hour)} y1={0} y2={HEIGHT} /> : null}
        {decided === null || decided < first || decided > last ? null : (
          <circle cx={x(decided)} cy={y(data.decided?.grams ?? 0)} r={4} />
        )}
      </svg>
      <figcaption className="quiet">{text}. The dot is the decided start.</figcaption>
    </figure>
  );
}
