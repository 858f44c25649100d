import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { MapZone, PlacesMap } from "../../../../src/console/contract/map.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { useNow } from "../../ui/clock.ts";
import { timeText, UNKNOWN } from "../../ui/format.ts";
import { Intensity } from "../../ui/intensity.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { intensityText } from "../../ui/scale.ts";
import type { Spot } from "./marks.ts";

interface PanelProps {
  data: PlacesMap;
  spot: Spot;
  hour: number;
  /** The places under the same mark. */
  others: readonly Spot[];
  change: (changed: Record<string, string | undefined>) => void;
}

const [WIDTH, HEIGHT] = [328, 72];

/** The intensity of the coming hours, with the chosen one as a line. */
function Curve({ zone, hour, from }: { zone: MapZone; hour: number; from: Date }): ReactElement {
  const now = useNow();
  const { hours } = zone;
  const most = Math.max(...hours);
  const best = hours.indexOf(Math.min(...hours));
  const x = (at: number): number => (at / Math.max(1, hours.length - 1)) * WIDTH;
  const y = (value: number): number => HEIGHT - 4 - (value / Math.max(1, most)) * (HEIGHT - 8);
  const points = hours.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const at = timeText(new Date(from.getTime() + best * HOUR_MS), now);
  const text = `Lowest ${intensityText(hours[best] ?? 0)} at ${at}, highest ${intensityText(most)} g CO₂e/kWh within ${String(hours.length)} h`;
  return (
    <figure>
      <svg className="curve" viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`} role="img" aria-label={text}>
        <polyline points={points} />
        <line x1={x(hour)} x2={x(hour)} y1={0} y2={HEIGHT} />
      </svg>
      <figcaption>{text}</figcaption>
      <p className="quiet">Expected from past years: {zone.source}</p>
    </figure>
  );
}

function Facts({ data, spot }: { data: PlacesMap; spot: Spot }): ReactElement {
  const { cpu, memoryGiB } = data.size;
  return (
    <dl className="facts">
      <div>
        <dt>Carbon</dt>
        <dd>
          <Intensity value={spot.intensity} /> g CO₂e/kWh
        </dd>
      </div>
      <div>
        <dt>Rules</dt>
        <dd>{spot.rule === null ? "allowed" : `removed by ${ruleName(spot.rule)}`}</dd>
      </div>
      <div>
        <dt>
          {cpu} vCPU, {memoryGiB} GiB
        </dt>
        <dd>{spot.usdPerHour === null ? UNKNOWN : `${spot.usdPerHour.toFixed(4)} USD/h`}</dd>
      </div>
      <div>
        <dt>Latency</dt>
        <dd>
          {spot.latencyMs === null ? (
            UNKNOWN
          ) : (
            <span className={spot.latencyEstimated ? "estimate" : undefined}>
              {spot.latencyMs} ms{spot.latencyEstimated ? ", estimated" : ""}
            </span>
          )}
          {data.origin === null ? null : <span className="quiet"> from {data.origin}</span>}
        </dd>
      </div>
      <div>
        <dt>Load then</dt>
        <dd>
          {spot.objects === 0 ? (
            "no objects"
          ) : (
            <Link to="/objects" search={{ place: spot.place, runs: "then" }}>
              {spot.objects} {spot.objects === 1 ? "object" : "objects"}
            </Link>
          )}
          , {spot.vcpus} vCPU
        </dd>
      </div>
    </dl>
  );
}

/** One place: its figures, its coming hours, and the places next to it. */
export function MapPanel({ data, spot, hour, others, change }: PanelProps): ReactElement {
  const zone = data.zones.find((one) => one.zone === spot.zone);
  return (
    <Panel label={spot.place} title={spot.place} onClose={() => change({ place: undefined })}>
      <p className="quiet">
        {spot.display}, {spot.country}
      </p>
      <Facts data={data} spot={spot} />
      {zone === undefined ? null : <Curve zone={zone} hour={hour} from={new Date(data.from)} />}
      <Button className="plain" isDisabled={data.origin === spot.place} onPress={() => change({ origin: spot.place })}>
        Show latency from here
      </Button>
      {others.length === 0 ? null : (
        <>
          <h3>Close to it</h3>
          <ul className="others">
            {others.map((other) => (
              <li key={other.place}>
                <Button className="link" onPress={() => change({ place: other.place })}>
                  {other.place}
                </Button>
                <Intensity value={other.intensity} />
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
