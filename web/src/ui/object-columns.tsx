import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Row, Sort } from "../../../src/console/contract/rows.ts";
import type { Column } from "./data-table.tsx";
import { Grams, Place, Time } from "./figures.tsx";
import { StateMark } from "./state-mark.tsx";

export const keyOfRow = ({ kind, namespace, name }: Row): string => `${kind}/${namespace}/${name}`;

/** The name of an object, as a link to its page. */
const ObjectLink = ({ row }: { row: Row }): ReactElement => (
  <Link
    to="/objects/$kind/$objectNamespace/$name"
    params={{ kind: row.kind, objectNamespace: row.namespace, name: row.name }}
    className="object-name"
  >
    {row.name}
  </Link>
);

/** The columns of a table of objects. */
export const COLUMNS: Readonly<
  Record<
    "name" | "namespace" | "kind" | "state" | "reason" | "place" | "type" | "start" | "grams" | "saved" | "price",
    Column<Row, Sort>
  >
> = {
  name: { id: "name", header: "Name", cell: (row) => <ObjectLink row={row} />, sort: "name" },
  namespace: { id: "namespace", header: "Namespace", cell: ({ namespace }) => namespace },
  kind: { id: "kind", header: "Kind", cell: ({ kind }) => kind },
  state: {
    id: "state",
    header: "State",
    sort: "state",
    cell: ({ state, verdict }) => (
      <span className="states">
        <StateMark state={state} />
        {verdict === "deny" ? <StateMark state="denied" /> : null}
      </span>
    ),
  },
  reason: {
    id: "reason",
    header: "Reason",
    cell: ({ reason, message, state, denial }) => {
      // A failure matters more than a denial that would come.
      const text = denial !== "" && state !== "failing" ? `denied now: ${denial}` : message === "" ? reason : message;
      return (
        <span className="reason" title={text}>
          {text}
        </span>
      );
    },
  },
  place: { id: "place", header: "Place", cell: ({ place }) => <Place place={place} />, sort: "place" },
  type: {
    id: "type",
    header: "Type",
    cell: ({ instanceType }) => <span className="nowrap">{instanceType ?? "–"}</span>,
  },
  start: { id: "start", header: "Start", cell: ({ start }) => <Time at={start} />, sort: "start" },
  grams: {
    id: "grams",
    header: "Carbon, g CO₂e",
    figures: true,
    sort: "grams",
    cell: ({ grams, end }) => <Grams grams={grams} end={end} />,
  },
  saved: {
    id: "saved",
    header: "Saved, g CO₂e",
    figures: true,
    cell: ({ grams, baselineGrams, end }) => (
      <Grams grams={grams === null || baselineGrams === null ? null : baselineGrams - grams} end={end} />
    ),
  },
  price: {
    id: "price",
    header: "Price, USD/h",
    figures: true,
    sort: "usdPerHour",
    cell: ({ usdPerHour }) => <span>{usdPerHour === null ? "–" : usdPerHour.toFixed(4)}</span>,
  },
};
