import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Timeline } from "../../../../src/console/contract/timeline.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { timelineQuery } from "../../api/queries.ts";
import { useNow } from "../../ui/clock.ts";
import { IntensityLegend } from "../../ui/intensity.tsx";
import { Page } from "../../ui/page.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { Lanes } from "./lanes.tsx";
import { keyOf } from "./object-bar.tsx";
import { OtherStarts } from "./other-starts.tsx";
import { BARS } from "./search.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { isoOf } from "./time-scale.ts";
import { type Change, TimelineFilters } from "./timeline-filters.tsx";
import { TimelineTables } from "./timeline-tables.tsx";

/** How the picture is read. */
const Legend = ({ hasForecasts }: { hasForecasts: boolean }): ReactElement => (
  <>
    <IntensityLegend />
    <ul className="keys quiet" aria-label="How to read the picture">
      <li>
        <span className="key ran" /> the machine was on
      </li>
      <li>
        <span className="key planned" /> planned
      </li>
      <li>
        <span className="key key-pause" /> paused
      </li>
      <li>
        <span className="key key-latest" /> latest start
      </li>
      <li>
        <span className="key key-deadline" /> deadline
      </li>
      <li>hatched hours were not measured; the frame is the forecast&apos;s error band</li>
    </ul>
    {hasForecasts ? null : (
      <p className="quiet">
        The console knows no forecasts: hours are expected from past years. Start it with --forecast-settings or
        --forecast to see what the webhook sees.
      </p>
    )}
  </>
);

interface PagerProps {
  data: Timeline;
  offset: number;
  change: Change;
}

function Pager({ data, offset, change }: PagerProps): ReactElement {
  const last = offset + data.bars.length;
  const without = data.undecided === 0 ? "" : `; ${String(data.undecided)} more have no decision`;
  return (
    <div className="pager">
      <span>
        {data.total === 0 ? "No objects" : `${String(offset + 1)}–${String(last)} of ${String(data.total)} objects`} in
        these hours{without}
      </span>
      <Button
        className="plain"
        isDisabled={offset === 0}
        onPress={() => change({ offset: String(Math.max(0, offset - BARS)) })}
      >
        Previous
      </Button>
      <Button className="plain" isDisabled={last >= data.total} onPress={() => change({ offset: String(last) })}>
        Next
      </Button>
    </div>
  );
}

interface ContentProps {
  data: Timeline;
  hour: number;
  onHour: (hour: number, done: boolean) => void;
  asTables: boolean;
  offset: number;
  object: string | undefined;
  change: Change;
}

function Content({ data, hour, onHour, asTables, offset, object, change }: ContentProps): ReactElement {
  const now = useNow();
  const chosen = data.bars.find(({ row }) => keyOf(row) === object)?.row ?? null;
  const choose = (key: string): void => change({ object: key === object ? undefined : key });
  return (
    <div className="with-panel">
      <div>
        {asTables ? (
          <TimelineTables data={data} chosen={object ?? null} onChoose={choose} />
        ) : (
          <>
            <Lanes {...{ data, now, hour, onHour }} chosen={object ?? null} onChoose={choose} />
            <Legend hasForecasts={data.hasForecasts} />
          </>
        )}
        <Pager {...{ data, offset, change }} />
      </div>
      {chosen === null ? null : (
        <OtherStarts
          row={chosen}
          hour={hour}
          onHour={(value) => onHour(value, true)}
          onClose={() => change({ object: undefined })}
        />
      )}
    </div>
  );
}

/** The objects over time, with the carbon intensity of their zones, and what another start would give. */
export function TimelinePage(): ReactElement {
  const search = useSearch({ from: "/timeline" });
  const change = useChangeSearch();
  const now = useNow();
  const [dragged, setDragged] = useState<number | null>(null);
  const { at, object, as, ...query } = search;
  const { data, error } = useQuery(timelineQuery({ ...query, limit: BARS }));
  const hour = dragged ?? Math.floor((at === undefined ? now.getTime() : Date.parse(at)) / HOUR_MS) * HOUR_MS;
  const onHour = (value: number, done: boolean): void => {
    setDragged(done ? null : value);
    if (done) change({ at: isoOf(value) }, { replace: true });
  };
  const about =
    "When the objects run, and how clean their grids are then. Choose an object, and drag along the hours to compare other starts.";
  return (
    <Page title="Timeline" about={about}>
      <TimelineFilters {...{ search, data, change, hour }} />
      {data !== undefined ? (
        <Content {...{ data, hour, onHour, object, change }} asTables={as === "table"} offset={query.offset ?? 0} />
      ) : error !== null ? (
        <ProblemView problem={error} />
      ) : (
        <Loading what="the timeline" lines={12} />
      )}
    </Page>
  );
}
