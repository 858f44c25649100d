import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { Row } from "../../../../src/console/contract/rows.ts";
import type { OtherStart, Start, Starts } from "../../../../src/console/contract/timeline.ts";
import { startsQuery } from "../../api/queries.ts";
import { DataTable, type Column } from "../../ui/data-table.tsx";
import { Figure, Place, Time } from "../../ui/figures.tsx";
import { gramsText, usdText } from "../../ui/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { StartsCurve } from "./starts-curve.tsx";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { isoOf } from "./time-scale.ts";

/** `12 % less`, against the decided start. */
function against(value: number | null, decided: number | null): string {
  if (value === null || decided === null || decided === 0) return "";
  const percent = Math.round((100 * (value - decided)) / decided);
  return percent === 0 ? " (the same)" : ` (${String(Math.abs(percent))} % ${percent < 0 ? "less" : "more"})`;
}

const UNIT = { true: " per hour", false: "" } as const;

interface FiguresProps {
  title: string;
  start: Start | null;
  /** Null for the decided start itself. */
  decided: Start | null;
  perHour: boolean;
}

/** A start with its carbon and price, against the decided one. */
function Figures({ title, start, decided, perHour }: FiguresProps): ReactElement {
  const unit = UNIT[`${perHour}`];
  if (start === null)
    return (
      <div>
        <dt>{title}</dt>
        <dd>not allowed then</dd>
      </div>
    );
  const { grams, usd } = start;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <Place place={start.place} />
        {start.pauses === 0 ? null : `, with ${String(start.pauses)} ${start.pauses === 1 ? "pause" : "pauses"}`}
        <br />
        {grams === null ? "carbon unknown" : `${gramsText(grams)}${unit}${against(grams, decided?.grams ?? null)}`}
        <br />
        {usd === null ? "price unknown" : `${usdText(usd)}${unit}${against(usd, decided?.usd ?? null)}`}
      </dd>
    </div>
  );
}

/** The start in the hour that begins then. */
const startIn = ({ starts }: Starts, hour: number): OtherStart | undefined =>
  starts.find(({ start }) => Date.parse(start) >= hour && Date.parse(start) < hour + HOUR_MS);

const COLUMNS: Column<OtherStart>[] = [
  { id: "start", header: "Start", cell: ({ start }) => <Time at={start} /> },
  { id: "here", header: "Here, g", figures: true, cell: ({ here }) => <Figure value={here?.grams ?? null} /> },
  { id: "best", header: "Best, g", figures: true, cell: ({ best }) => <Figure value={best?.grams ?? null} /> },
  { id: "usd", header: "Best, USD", figures: true, cell: ({ best }) => <Figure value={best?.usd ?? null} /> },
  { id: "place", header: "Best place", cell: ({ best }) => <Place place={best?.place ?? null} /> },
];

/** The figures of a start in the chosen hour, or why there is none. */
function Instead({ data, other }: { data: Starts; other: OtherStart | undefined }): ReactElement {
  if (other === undefined)
    return (
      <p>
        It cannot start then: possible starts are from <Time at={data.starts[0]?.start ?? null} /> to{" "}
        <Time at={data.starts.at(-1)?.start ?? null} />.
      </p>
    );
  if (other.best === null) return <p>Denied: {other.denial}</p>;
  return (
    <dl className="facts" data-start={other.start}>
      <Figures title="In the same place" start={other.here} decided={data.decided} perHour={data.perHour} />
      <Figures title="In the best place" start={other.best} decided={data.decided} perHour={data.perHour} />
    </dl>
  );
}

interface ComparisonProps {
  data: Starts;
  hour: number;
  onHour: (hour: number) => void;
}

/** The decided start, and one in the chosen hour. */
function Comparison({ data, hour, onHour }: ComparisonProps): ReactElement {
  const other = startIn(data, hour);
  return (
    <>
      <dl className="facts">
        <div>
          <dt>Decided start</dt>
          <dd>
            <Time at={data.decided?.start ?? null} />
          </dd>
        </div>
        <Figures title="Decided" start={data.decided} decided={null} perHour={data.perHour} />
        {data.withoutPauses === null ? null : (
          <Figures title="Without pauses" start={data.withoutPauses} decided={data.decided} perHour={data.perHour} />
        )}
      </dl>
      <div className="section-head">
        <h3>
          Instead at <Time at={other?.start ?? isoOf(hour)} />
        </h3>
        <span className="states">
          <Button className="plain" onPress={() => onHour(hour - HOUR_MS)}>
            Hour earlier
          </Button>
          <Button className="plain" onPress={() => onHour(hour + HOUR_MS)}>
            Hour later
          </Button>
        </span>
      </div>
      <Instead data={data} other={other} />
    </>
  );
}

interface OtherStartsProps {
  row: Row;
  hour: number;
  onHour: (hour: number) => void;
  onClose: () => void;
}

/** The starts that an object could have, with the carbon and the price of each. */
export function OtherStarts({ row, hour, onHour, onClose }: OtherStartsProps): ReactElement {
  const { kind, namespace, name } = row;
  const { data, error } = useQuery(startsQuery({ kind, namespace, name }, row.decision ?? ""));
  return (
    <Panel label={`Other starts of ${name}`} title={name} onClose={onClose}>
      {data !== undefined ? (
        <>
          <Comparison data={data} hour={hour} onHour={onHour} />
          <StartsCurve data={data} hour={hour} onHour={onHour} />
          <p className="quiet">
            Each start is decided again by the console, as of <Time at={data.at} />, without the load of other objects
            and quotas.
            {data.withoutPauses === null ? "" : " A fixed start does not pause, so the other starts have no pauses."}
            {data.complete ? "" : " There was no time for every hour."}
          </p>
          <details>
            <summary>All starts as a table</summary>
            <DataTable caption="Other starts" columns={COLUMNS} rows={data.starts} keyOf={({ start }) => start} />
          </details>
        </>
      ) : error !== null ? (
        <ProblemView problem={error} />
      ) : (
        <Loading what="other starts" lines={8} />
      )}
    </Panel>
  );
}
