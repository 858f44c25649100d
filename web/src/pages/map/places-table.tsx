import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import type { PlacesMap } from "../../../../src/console/contract/map.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { Latency } from "../../ui/figures.tsx";
import { Intensity } from "../../ui/intensity.tsx";
import type { Spot } from "./marks.ts";
import { type Direction, type PlaceSort, sortedPlaces } from "./sort-places.ts";

const columnsFor = (
  { cpu, memoryGiB }: PlacesMap["size"],
  onChoose: (place: string) => void,
): Column<Spot, PlaceSort>[] => [
  {
    id: "place",
    sort: "place",
    header: "Place",
    cell: ({ place }) => (
      <Button className="link" onPress={() => onChoose(place)}>
        {place}
      </Button>
    ),
  },
  { id: "display", sort: "display", header: "Town", cell: ({ display, country }) => `${display}, ${country}` },
  { id: "zone", sort: "zone", header: "Electricity zone", cell: ({ zone }) => zone ?? "–" },
  {
    id: "carbon",
    sort: "carbon",
    header: "Carbon, g CO₂e/kWh",
    figures: true,
    cell: ({ intensity }) => <Intensity value={intensity} />,
  },
  {
    id: "price",
    sort: "price",
    header: `${String(cpu)} vCPU, ${String(memoryGiB)} GiB, USD/h`,
    figures: true,
    cell: ({ usdPerHour }) => <span>{usdPerHour === null ? "–" : usdPerHour.toFixed(4)}</span>,
  },
  {
    id: "latency",
    sort: "latency",
    header: "Latency, ms",
    figures: true,
    cell: ({ latencyMs, latencyEstimated }) => <Latency ms={latencyMs} estimate={latencyEstimated} />,
  },
  {
    id: "objects",
    sort: "objects",
    header: "Objects",
    figures: true,
    cell: ({ objects, place }) =>
      objects === 0 ? (
        <span className="quiet">0</span>
      ) : (
        <Link to="/objects" search={{ place, runs: "then" }}>
          {objects}
        </Link>
      ),
  },
  { id: "vcpus", sort: "vcpus", header: "Load, vCPU", figures: true, cell: ({ vcpus }) => <span>{vcpus}</span> },
  { id: "rule", header: "Rules", cell: ({ rule }) => (rule === null ? "allowed" : `removed by ${ruleName(rule)}`) },
];

interface TableProps {
  spots: readonly Spot[];
  size: PlacesMap["size"];
  chosen: string | null;
  sort: PlaceSort;
  order: Direction;
  onChoose: (place: string) => void;
  onSort: (sort: PlaceSort, order: Direction) => void;
}

/** The same places as a table, by default the lowest carbon intensity first. */
export const PlacesTable = ({ spots, size, chosen, sort, order, onChoose, onSort }: TableProps): ReactElement => (
  <DataTable
    caption="Places"
    columns={columnsFor(size, onChoose)}
    rows={sortedPlaces(spots, sort, order)}
    keyOf={({ place }) => place}
    order={{ sort, order, onChange: onSort }}
    chosen={chosen}
  />
);
