import { Link } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Row, Sort } from "../../../src/console/contract/rows.ts";
import type { Column } from "./data-table.tsx";
import { Grams, Message, Place, Time } from "./figures.tsx";
import { StateMark } from "./state-mark.tsx";

export const keyOfRow = ({ kind, namespace, name }: Row): string => `${kind}/${namespace}/${name}`;

/** The name of an object, as a link to its page. */
const ObjectLink = ({ row }: { row: Row }): ReactElement => (
  <Link
    to="/objects/$kind/$objectNamespace/$name"
    params={{ kind: row.kind, objectNamespace: row.namespace, name: row.name }}
    className="object-name"
    title={row.name}
  >
    {row.name}
  </Link>
);

/** The words of the condition that gives the state. A failure matters more than a denial that would come. */
function reasonText({ reason, message, state, denial, decision }: Row): string {
  if (denial !== "" && state !== "failing") return `denied now: ${denial}`;
  if (decision === null && state !== "failing") return "it has no decision: it was made without Landfall's webhook";
  return message === "" ? reason : message;
}

const Reason = ({ row }: { row: Row }): ReactElement => (
  <span className="reason" title={reasonText(row)}>
    <Message text={reasonText(row)} />
  </span>
);

const States = ({ row: { state, verdict } }: { row: Row }): ReactElement => (
  <span className="states">
    <StateMark state={state} />
    {verdict === "deny" ? <StateMark state="denied" /> : null}
  </span>
);

/** The columns of a table of objects. On a narrow screen, `nameIn` and `stateWhy` show what four columns do on a wide one. */
export const COLUMNS: Readonly<
  Record<
    | ("name" | "nameIn" | "namespace" | "kind" | "state" | "stateWhy" | "reason" | "place" | "type")
    | ("start" | "end" | "grams" | "saved" | "price" | "vcpus"),
    Column<Row, Sort>
  >
> = {
  name: { id: "name", header: "Name", cell: (row) => <ObjectLink row={row} />, sort: "name" },
  nameIn: {
    id: "name",
    header: "Name",
    sort: "name",
    cell: (row) => (
      <>
        <ObjectLink row={row} />
        <span className="name-text quiet" title={row.namespace}>
          {row.namespace}
        </span>
      </>
    ),
  },
  namespace: {
    id: "namespace",
    header: "Namespace",
    cell: ({ namespace }) => <span className="name-text">{namespace}</span>,
  },
  kind: { id: "kind", header: "Kind", cell: ({ kind }) => kind },
  state: { id: "state", header: "State", sort: "state", cell: (row) => <States row={row} /> },
  stateWhy: {
    id: "state",
    header: "State and reason",
    sort: "state",
    cell: (row) => (
      <div className="state-why">
        <States row={row} />
        <Reason row={row} />
      </div>
    ),
  },
  reason: { id: "reason", header: "Reason", cell: (row) => <Reason row={row} /> },
  place: { id: "place", header: "Place", cell: ({ place }) => <Place place={place} />, sort: "place" },
  type: {
    id: "type",
    header: "Type",
    cell: ({ instanceType }) => <span className="nowrap">{instanceType ?? "–"}</span>,
  },
  start: { id: "start", header: "Start", cell: ({ startsAt }) => <Time at={startsAt} />, sort: "start" },
  end: { id: "end", header: "End", cell: ({ endsAt }) => <Time at={endsAt} />, sort: "end" },
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
  vcpus: {
    id: "vcpus",
    header: "vCPU",
    figures: true,
    sort: "vcpus",
    cell: ({ vcpus }) => <span title="as quotas count it: of a cluster, its pools at their largest">{vcpus}</span>,
  },
};
