import { Fragment, type ReactElement, useMemo } from "react";
import type { Bar, Timeline, TimelineZone } from "../../../../src/console/contract/timeline.ts";
import { Intensity } from "../../ui/intensity.tsx";
import { Time } from "../../ui/figures.tsx";
import { intensityText } from "../../ui/scale.ts";
import { useWidth } from "../../ui/use-width.ts";
import { cleanestHour } from "./cleanest-hour.ts";
import { HourRuler } from "./hour-ruler.tsx";
import { keyOf, ObjectBar } from "./object-bar.tsx";
import { isShown, type TimeScale, xOf } from "./time-scale.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { knownText, ZoneCurve } from "./zone-curve.tsx";

interface LanesProps {
  data: Timeline;
  now: Date;
  hour: number;
  onHour: (hour: number, done: boolean) => void;
  /** Key of the object whose other starts are shown. */
  chosen: string | null;
  onChoose: (key: string) => void;
}

interface ZoneHeadProps {
  zone: TimelineZone;
  hour: number;
  from: number;
  now: number;
}

function ZoneHead({ zone, hour, from, now }: ZoneHeadProps): ReactElement {
  const cleanest = cleanestHour(zone.hours, from, now);
  const at = zone.hours[Math.floor((hour - from) / HOUR_MS)];
  const places = zone.places.join(", ");
  return (
    <div className="lane-label">
      <h2 className="zone-name">
        {zone.zone} <Intensity value={at?.value ?? null} />
      </h2>
      <span className="quiet clip" title={places}>
        {places}
      </span>
      <span className="quiet" title={`Source: ${zone.source}`}>
        {knownText(zone.hours)}
        {at?.low == null || at.high === null ? "" : `, band ${intensityText(at.low)}–${intensityText(at.high)}`}
      </span>
      {cleanest === null ? null : (
        <span className="quiet" title="The cleanest hour ahead">
          Cleanest: <Time at={new Date(cleanest.at).toISOString()} /> ({intensityText(cleanest.value)})
        </span>
      )}
    </div>
  );
}

interface Group {
  zone: TimelineZone | null;
  bars: Bar[];
}

/** The zones with their objects; objects of places without a zone last. */
function groupsOf({ zones, bars }: Timeline): Group[] {
  const groups = zones.map((zone): Group => ({ zone, bars: bars.filter((bar) => bar.zone === zone.zone) }));
  const shown = new Set(zones.map(({ zone }) => zone));
  const others = bars.filter(({ zone }) => zone === null || !shown.has(zone));
  return others.length === 0 ? groups : [...groups, { zone: null, bars: others }];
}

/** Lines through all lanes: now, and the chosen hour. */
function Lines({ scale, now, hour }: { scale: TimeScale; now: number; hour: number }): ReactElement {
  const middle = hour + HOUR_MS / 2;
  return (
    <div className="lines" aria-hidden="true">
      {isShown(scale, now) ? (
        <div className="now-line" style={{ left: xOf(scale, now) }}>
          <span>now</span>
        </div>
      ) : null}
      {isShown(scale, hour) ? (
        <div
          className="hour-line"
          style={{ left: xOf(scale, hour), width: Math.max(1, (xOf(scale, middle) - xOf(scale, hour)) * 2) }}
        />
      ) : null}
    </div>
  );
}

/** The hours from left to right: the intensity of each zone, and below it the objects there. */
export function Lanes({ data, now, hour, onHour, chosen, onChoose }: LanesProps): ReactElement {
  const [box, width] = useWidth();
  const from = Date.parse(data.from);
  const scale = useMemo<TimeScale>(
    () => ({ from, hours: data.hours, width: Math.max(120, width) }),
    [from, data.hours, width],
  );
  const most = Math.max(
    ...data.zones.flatMap(({ hours }) => hours.map(({ value, high }) => Math.max(value, high ?? 0))),
  );
  return (
    <div className="lanes">
      <div className="lane lane-ruler">
        <div className="lane-label quiet">
          <Time at={new Date(hour).toISOString()} />
          <span>g CO₂e/kWh in this hour</span>
        </div>
        <div ref={box} className="lane-plot">
          {width === 0 ? null : <HourRuler scale={scale} now={now} hour={hour} onChange={onHour} />}
        </div>
      </div>
      {width === 0 ? null : (
        <div className="lanes-body">
          {groupsOf(data).map(({ zone, bars }) => (
            <Fragment key={zone?.zone ?? ""}>
              {zone === null ? (
                <div className="lane">
                  <div className="lane-label">
                    <h2 className="zone-name">No electricity zone</h2>
                  </div>
                </div>
              ) : (
                <div className="lane lane-zone">
                  <ZoneHead zone={zone} hour={hour} from={from} now={now.getTime()} />
                  <ZoneCurve zone={zone} scale={scale} most={most} />
                </div>
              )}
              {bars.length === 0 ? null : (
                <ul className="lane-list" aria-label={`Objects in ${zone?.zone ?? "no zone"}`}>
                  {bars.map(({ row }) => (
                    <ObjectBar
                      key={keyOf(row)}
                      {...{ row, scale, now }}
                      isChosen={keyOf(row) === chosen}
                      onChoose={() => onChoose(keyOf(row))}
                    />
                  ))}
                </ul>
              )}
            </Fragment>
          ))}
          <Lines scale={scale} now={now.getTime()} hour={hour} />
        </div>
      )}
    </div>
  );
}
