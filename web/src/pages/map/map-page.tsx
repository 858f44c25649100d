import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useMemo, useState } from "react";
import { Button } from "react-aria-components";
import type { PlacesMap } from "../../../../src/console/contract/map.ts";
import { HOUR_MS } from "../../../../src/model/time.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { mapQuery } from "../../api/queries.ts";
import { IntensityLegend } from "../../ui/intensity.tsx";
import { Page } from "../../ui/page.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { Closed, Unreadable } from "../../ui/unreadable.tsx";
import { Select } from "../../ui/select.tsx";
import { HourSlider } from "./hour-slider.tsx";
import { MapPanel } from "./map-panel.tsx";
import { type Spot, spotsAt } from "./marks.ts";
import { isIn } from "./projection.ts";
import { PlacesTable } from "./places-table.tsx";
import type { MapSearch } from "./search.ts";
import { World } from "./world.tsx";

const VIEW_CHOICES = [
  { value: "europe", text: "Europe" },
  { value: "world", text: "World" },
  { value: "america", text: "Americas" },
  { value: "asia", text: "Asia and Pacific" },
];
const ONLY_CHOICES = [
  { value: "", text: "All places" },
  { value: "allowed", text: "Only places that the rules allow" },
  { value: "used", text: "Only places with objects" },
];

/** The hour of a time, counted from the first one of the map; the nearest end if it lies outside. */
function hourOf({ from, hours }: PlacesMap, at: string | undefined): number {
  const hour = at === undefined ? 0 : Math.floor((Date.parse(at) - Date.parse(from)) / HOUR_MS);
  return Number.isNaN(hour) ? 0 : Math.min(hours - 1, Math.max(0, hour));
}

const passes = ({ rule, objects }: Spot, only: MapSearch["only"]): boolean =>
  only === undefined || (only === "allowed" ? rule === null : objects > 0);

type Change = (changed: Record<string, string | undefined>) => void;

function Controls({
  search,
  origin,
  change,
}: {
  search: MapSearch;
  origin: string | null;
  change: Change;
}): ReactElement {
  const isTable = search.as === "table";
  return (
    <div className="filters">
      <Select
        label="Part of the world"
        choices={VIEW_CHOICES}
        value={search.view ?? "europe"}
        onChange={(view) => change({ view })}
        quiet
      />
      <Select
        label="Places"
        choices={ONLY_CHOICES}
        value={search.only ?? ""}
        onChange={(only) => change({ only: only === "" ? undefined : only })}
        quiet
      />
      <Button className="plain" onPress={() => change({ as: isTable ? undefined : "table" })}>
        {isTable ? "Show as a map" : "Show as a table"}
      </Button>
      {search.origin === undefined ? (
        <span className="quiet">{origin === null ? "" : `Latency from ${origin}`}</span>
      ) : (
        <Button className="chip" onPress={() => change({ origin: undefined })}>
          Latency from {search.origin} <span aria-hidden="true">×</span>
          <span className="hidden">: the default origin again</span>
        </Button>
      )}
    </div>
  );
}

function Content({ data, search, change }: { data: PlacesMap; search: MapSearch & { at?: string }; change: Change }) {
  const chosenHour = hourOf(data, search.at);
  const [dragged, setDragged] = useState<number | null>(null);
  const [near, setNear] = useState<readonly string[]>([]);
  const hour = dragged ?? chosenHour;
  const all = useMemo(() => spotsAt(data, hour), [data, hour]);
  const spots = useMemo(() => all.filter((spot) => passes(spot, search.only)), [all, search.only]);
  const spot = all.find(({ place }) => place === search.place);
  const others = spots.filter(
    ({ place }) => near.includes(place) && near.includes(search.place ?? "") && place !== search.place,
  );
  const at = (chosen: number): string | undefined =>
    chosen === 0 ? undefined : new Date(Date.parse(data.from) + chosen * HOUR_MS).toISOString().replace(".000Z", "Z");
  return (
    <div className="with-panel">
      <div>
        <HourSlider
          from={new Date(data.from)}
          hours={data.hours}
          hour={chosenHour}
          onChange={(value, done) => {
            setDragged(done ? null : value);
            if (done) change({ at: at(value) });
          }}
        />
        {search.as === "table" ? (
          <PlacesTable
            spots={spots.filter((one) => isIn(search.view ?? "europe", one))}
            size={data.size}
            chosen={search.place ?? null}
            sort={search.sort ?? "carbon"}
            order={search.order ?? "ascending"}
            onChoose={(place) => change({ place })}
            onSort={(sort, order) => change({ sort, order })}
          />
        ) : (
          <World
            data={data}
            spots={spots}
            view={search.view ?? "europe"}
            chosen={search.place ?? null}
            onChoose={(place, marked) => {
              setNear(marked);
              change({ place });
            }}
          />
        )}
        <IntensityLegend />
        <p className="quiet">
          Larger circles have more vCPU at this hour; clusters count with their pools at their largest. The number is
          the carbon intensity. A small number next to it counts the places under one circle, which then shows their
          mean. Places that a rule removes are empty circles. Dashed lines are estimates of the latency by distance.
        </p>
      </div>
      {spot === undefined ? null : <MapPanel data={data} spot={spot} hour={hour} others={others} change={change} />}
    </div>
  );
}

/** Every place by carbon intensity, now or in a coming hour, with load, price, latency and rules. */
export function MapPage(): ReactElement {
  const search = useSearch({ from: "/map" });
  const change = useChangeSearch();
  const { namespace, at, origin } = search;
  const { data, error } = useQuery(mapQuery({ namespace, at, origin }));
  const about =
    namespace === undefined
      ? "Every place of the catalog, with the rules of the platform."
      : `Every place of the catalog, with the rules for namespace ${namespace}.`;
  return (
    <Page title="Map" about={about}>
      <Controls search={search} origin={data?.origin ?? null} change={change} />
      {data === undefined || data.readable || namespace === undefined ? null : <Unreadable namespace={namespace} />}
      {data === undefined ? null : <Closed denials={data.denials} />}
      {data !== undefined ? (
        <Content data={data} search={search} change={change} />
      ) : error !== null ? (
        <ProblemView problem={error} />
      ) : (
        <Loading what="the map" lines={16} />
      )}
    </Page>
  );
}
