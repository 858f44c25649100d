import type { ReactElement } from "react";
import type { ManagedResource } from "../../../../src/console/contract/resources.ts";
import { Icon, type IconName } from "../../ui/icon.tsx";
import { layersOf } from "./layers.ts";

type State = ManagedResource["state"];

const STATES: Readonly<Record<State, { word: string; icon: IconName; tone: string }>> = {
  ready: { word: "Ready", icon: "ended", tone: "state-running" },
  waiting: { word: "Not ready yet", icon: "starting", tone: "state-starting" },
  failing: { word: "Failing", icon: "failing", tone: "state-failing" },
  unknown: { word: "No condition", icon: "waiting", tone: "state-ended" },
  hidden: { word: "You cannot read it", icon: "waiting", tone: "state-ended" },
  absent: { word: "Not there", icon: "denied", tone: "state-starting" },
};

/** The state of a resource as its operator reports it. */
export function ResourceState({ state }: { state: State }): ReactElement {
  const { word, icon, tone } = STATES[state];
  return (
    <span className={`state ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

const [WIDTH, HEIGHT, ACROSS, DOWN] = [176, 72, 24, 16];
/** Characters of a name that fit into a box. */
const FIT = 20;

interface Spot {
  resource: ManagedResource;
  x: number;
  y: number;
}

const spotsOf = (resources: readonly ManagedResource[]): Spot[] =>
  layersOf(resources).flatMap((layer, column) =>
    layer.map((resource, row) => ({ resource, x: column * (WIDTH + ACROSS), y: row * (HEIGHT + DOWN) })),
  );

const short = (text: string): string => (text.length > FIT ? `${text.slice(0, FIT - 1)}…` : text);
/** The end of a name: its beginning is that of the object, for all of them. */
const end = (text: string): string => (text.length > FIT ? `…${text.slice(1 - FIT)}` : text);

/** A curve from the right side of what is needed to the left side of what needs it. */
const curve = (from: Spot, to: Spot): string => {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${String(x1)} ${String(y1)}C${String(middle)} ${String(y1)} ${String(middle)} ${String(y2)} ${String(x2)} ${String(y2)}`;
};

function Box({ spot: { resource, x, y } }: { spot: Spot }): ReactElement {
  const { kind, name, state } = resource;
  const { word, tone } = STATES[state];
  return (
    <g transform={`translate(${String(x)} ${String(y)})`} className={`graph-box ${tone}`}>
      <title>{`${kind} ${name}: ${word}`}</title>
      <rect width={WIDTH} height={HEIGHT} rx="6" />
      <text x="8" y="22" className="graph-name">
        {short(kind)}
      </text>
      <text x="8" y="40">
        {end(name)}
      </text>
      <text x="8" y="58">
        {word}
      </text>
    </g>
  );
}

/** The resources, each behind those that it needs. The table below has the same content. */
export function ResourceGraph({ resources }: { resources: readonly ManagedResource[] }): ReactElement {
  const spots = spotsOf(resources);
  const byId = new Map(spots.map((spot) => [spot.resource.id, spot]));
  const [width, height] = [
    Math.max(...spots.map(({ x }) => x)) + WIDTH + 4,
    Math.max(...spots.map(({ y }) => y)) + HEIGHT + 4,
  ];
  const lines = spots.flatMap((spot) =>
    spot.resource.needs.flatMap((need) => {
      const from = byId.get(need);
      return from === undefined ? [] : [{ key: `${need} ${spot.resource.id}`, path: curve(from, spot) }];
    }),
  );
  return (
    <div className="graph" tabIndex={0} role="region" aria-label="Graph of the resources">
      <svg
        width={width}
        height={height}
        viewBox={`-2 -2 ${String(width)} ${String(height)}`}
        role="img"
        aria-label={`${String(resources.length)} resources; the table below has them with their conditions`}
      >
        {lines.map(({ key, path }) => (
          <path key={key} d={path} className="graph-line" />
        ))}
        {spots.map((spot) => (
          <Box key={spot.resource.id} spot={spot} />
        ))}
      </svg>
    </div>
  );
}
