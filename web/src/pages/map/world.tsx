import { geoCircle, geoPath } from "d3-geo";
import { type KeyboardEvent, type ReactElement, useMemo, useRef } from "react";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import countries from "world-atlas/countries-110m.json";
import type { PlacesMap } from "../../../../src/console/contract/map.ts";
import { intensityColour, intensityText, onIntensity } from "../../ui/scale.ts";
import { useWidth } from "../../ui/use-width.ts";
import { countsOf, type Mark, marksOf, meanOf, radiusOf, type Spot } from "./marks.ts";
import { heightFor, projectionFor } from "./projection.ts";
import type { View } from "./search.ts";

// Natural Earth at 1:110,000,000, in the public domain, as the package world-atlas has it.
const topology = countries as unknown as Topology<{ land: GeometryCollection; countries: GeometryCollection }>;
const LAND = feature(topology, topology.objects.land);
const BORDERS = mesh(topology, topology.objects.countries, (a, b) => a !== b);

const KM_PER_DEGREE = 111.2;

/** The words of a mark for a screen reader. */
function labelOf(mark: Mark): string {
  const [first, ...others] = mark.spots;
  const more = others.length === 0 ? "" : ` and ${String(others.length)} more`;
  const mean = meanOf(mark);
  const objects = mark.spots.reduce((sum, spot) => sum + spot.objects, 0);
  const carbon = mean === null ? "carbon unknown" : `${intensityText(mean)} g CO2e per kWh`;
  return `${first?.place ?? ""}${more}: ${carbon}, ${String(objects)} ${objects === 1 ? "object" : "objects"}`;
}

interface MarkProps {
  mark: Mark;
  isChosen: boolean;
  isFirst: boolean;
  onChoose: (place: string) => void;
}

function MarkCircle({ mark, isChosen, isFirst, onChoose }: MarkProps): ReactElement {
  const mean = meanOf(mark);
  const isAllowed = mark.spots.some(({ rule }) => rule === null);
  const radius = radiusOf(mark);
  const choose = (): void => {
    onChoose(mark.spots[0]?.place ?? "");
  };
  const fill = mean === null || !isAllowed ? "var(--surface)" : intensityColour(mean);
  const ink = mean === null || !isAllowed ? "var(--quiet)" : onIntensity(mean);
  return (
    <g
      className={`mark${isAllowed ? "" : " mark-removed"}${isChosen ? " mark-chosen" : ""}`}
      transform={`translate(${mark.x.toFixed(1)} ${mark.y.toFixed(1)})`}
      role="button"
      aria-label={labelOf(mark)}
      aria-pressed={isChosen}
      tabIndex={isFirst ? 0 : -1}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose();
      }}
    >
      <title>{labelOf(mark)}</title>
      <circle r={radius} fill={fill} />
      <text fill={ink} textAnchor="middle" dy="0.35em">
        {mean === null ? "–" : intensityText(mean)}
      </text>
    </g>
  );
}

/** Moves the focus to the next mark to the east or west with the arrow keys; one stop of the tab key for all. */
function moveFocus(event: KeyboardEvent<SVGElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const marks = [...event.currentTarget.querySelectorAll<SVGElement>(".mark")];
  const at = marks.findIndex((mark) => mark === document.activeElement);
  event.preventDefault();
  marks[(at + step + marks.length) % marks.length]?.focus();
}

interface WorldProps {
  data: PlacesMap;
  spots: readonly Spot[];
  view: View;
  chosen: string | null;
  onChoose: (place: string, others: readonly string[]) => void;
}

interface CirclesProps {
  data: PlacesMap;
  path: ReturnType<typeof geoPath>;
  height: number;
}

function Circles({ data, path, height }: CirclesProps): ReactElement | null {
  const origin = data.places.find(({ place }) => place === data.origin);
  if (origin?.longitude == null || origin.latitude === null) return null;
  const center: [number, number] = [origin.longitude, origin.latitude];
  return (
    <g className="latency" aria-hidden="true">
      {data.circles.map(({ ms, km }) => {
        const circle = geoCircle()
          .center(center)
          .radius(km / KM_PER_DEGREE)();
        const [[left, top], [right, bottom]] = path.bounds(circle);
        // Below the circle, or above one whose lower end is not on the map.
        const y = bottom + 12 < height ? bottom + 12 : top - 4;
        return (
          <g key={ms}>
            <path d={path(circle) ?? ""} />
            <text x={(left + right) / 2} y={y} textAnchor="middle">
              {ms} ms
            </text>
          </g>
        );
      })}
    </g>
  );
}

/** The map: land, circles of latency, and the places as circles by load and carbon intensity. */
export function World({ data, spots, view, chosen, onChoose }: WorldProps): ReactElement {
  const [box, width] = useWidth();
  const svg = useRef<SVGSVGElement>(null);
  const projection = useMemo(() => projectionFor(view, Math.max(320, width)), [view, width]);
  const path = useMemo(() => geoPath(projection), [projection]);
  const land = useMemo(() => ({ land: path(LAND) ?? "", borders: path(BORDERS) ?? "" }), [path]);
  const height = heightFor(Math.max(320, width));
  const marks = useMemo(() => {
    const inside = (longitude: number, latitude: number): readonly [number, number] | null => {
      const at = projection([longitude, latitude]);
      return at !== null && at[0] >= 0 && at[0] <= width && at[1] >= 0 && at[1] <= height ? at : null;
    };
    return marksOf(spots, inside).sort((a, b) => a.x - b.x);
  }, [spots, projection, width, height]);
  return (
    <div ref={box} className="world" style={{ height }}>
      {width === 0 ? null : (
        <svg
          ref={svg}
          width={width}
          height={height}
          role="group"
          aria-label="Map of the places; arrow keys go from place to place, the table has the same figures"
          onKeyDown={moveFocus}
        >
          <path className="land" d={land.land} />
          <path className="borders" d={land.borders} />
          <Circles data={data} path={path} height={height} />
          {marks.map((mark, at) => (
            <MarkCircle
              key={mark.spots[0]?.place}
              mark={mark}
              isFirst={at === 0}
              isChosen={mark.spots.some(({ place }) => place === chosen)}
              onChoose={(place) => {
                onChoose(
                  place,
                  mark.spots.map((spot) => spot.place),
                );
              }}
            />
          ))}
          {/* How many places a mark stands for. Its label says it in words. */}
          {countsOf(marks).map(({ x, y, count }) => (
            <text key={`${String(x)} ${String(y)}`} className="mark-count" x={x} y={y} aria-hidden="true">
              {count}
            </text>
          ))}
        </svg>
      )}
    </div>
  );
}
