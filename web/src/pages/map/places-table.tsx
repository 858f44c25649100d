import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { Latency } from "../../ui/figures.tsx";
import { Intensity } from "../../ui/intensity.tsx";
import type { Spot } from "./marks.ts";

const byCarbon = (a: Spot, b: Spot): number =>
  (a.intensity ?? Number.POSITIVE_INFINITY) - (b.intensity ?? Number.POSITIVE_INFINITY) || (a.place < b.place ? -1 : 1);

const columnsFor = (onChoose: (place: string) => void): Column<Spot>[] => [
  {
    id: "place",
    header: "Place",
    cell: ({ place }) => (
      <Button className="link" onPress={() => onChoose(place)}>
        {place}
      </Button>
    ),
  },
  { id: "display", header: "Town", cell: ({ display, country }) => `${display}, ${country}` },
  { id: "zone", header: "Electricity zone", cell: ({ zone }) => zone ?? "–" },
  {
    id: "carbon",
    header: "Carbon, g CO₂e/kWh",
    figures: true,
    cell: ({ intensity }) => <Intensity value={intensity} />,
  },
  {
    id: "price",
    header: "Price, USD/h",
    figures: true,
    cell: ({ usdPerHour }) => <span>{usdPerHour === null ? "–" : usdPerHour.toFixed(4)}</span>,
  },
  {
    id: "latency",
    header: "Latency, ms",
    figures: true,
    cell: ({ latencyMs, latencyEstimated }) => <Latency ms={latencyMs} estimate={latencyEstimated} />,
  },
  {
    id: "objects",
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
  { id: "vcpus", header: "Load, vCPU", figures: true, cell: ({ vcpus }) => <span>{vcpus}</span> },
  { id: "rule", header: "Rules", cell: ({ rule }) => (rule === null ? "allowed" : `removed by ${ruleName(rule)}`) },
];

/** The same places as a table, the lowest carbon intensity first. */
export const PlacesTable = ({
  spots,
  chosen,
  onChoose,
}: {
  spots: readonly Spot[];
  chosen: string | null;
  onChoose: (place: string) => void;
}): ReactElement => (
  <DataTable
    caption="Places"
    columns={columnsFor(onChoose)}
    rows={[...spots].sort(byCarbon)}
    keyOf={({ place }) => place}
    chosen={chosen}
  />
);
