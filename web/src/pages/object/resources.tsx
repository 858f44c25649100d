import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import type { ManagedResource } from "../../../../src/console/contract/resources.ts";
import { type ObjectName, resourcesQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Message, Time } from "../../ui/figures.tsx";
import { Empty, Loading, ProblemView } from "../../ui/problem-view.tsx";
import { ResourceGraph, ResourceState } from "./resource-graph.tsx";

type Condition = ObjectReport["conditions"][number];

const CONDITIONS: readonly Column<Condition>[] = [
  { id: "type", header: "Condition", cell: ({ type }) => type },
  { id: "status", header: "Status", cell: ({ status }) => status },
  { id: "reason", header: "Reason", cell: ({ reason }) => reason },
  { id: "since", header: "Since", cell: ({ since }) => <Time at={since} /> },
  {
    id: "message",
    header: "Message",
    cell: ({ message }) => (
      <span className="message">
        <Message text={message} />
      </span>
    ),
  },
];

/** The conditions as the controllers wrote them. */
export const Conditions = ({ conditions }: Pick<ObjectReport, "conditions">): ReactElement => (
  <section>
    <h2>Conditions</h2>
    {conditions.length === 0 ? (
      <p className="quiet">No controller has reported on it yet.</p>
    ) : (
      <DataTable caption="Conditions" columns={CONDITIONS} rows={conditions} keyOf={({ type }) => type} />
    )}
  </section>
);

const MANAGED: readonly Column<ManagedResource>[] = [
  { id: "resource", header: "Resource", cell: ({ kind }) => kind },
  { id: "name", header: "Name", cell: ({ name }) => <span className="nowrap">{name}</span> },
  { id: "state", header: "State", cell: ({ state }) => <ResourceState state={state} /> },
  {
    id: "conditions",
    header: "Conditions of the provider's operator",
    cell: ({ conditions }) => (
      <ul className="recorded">
        {conditions.map(({ type, status, reason, message }) => (
          <li key={type}>
            {type} {status}
            {reason === "" ? null : `, ${reason}`}
            {message === "" ? null : <span className="quiet message">{message}</span>}
          </li>
        ))}
      </ul>
    ),
  },
  {
    id: "needs",
    header: "Needs",
    cell: ({ needs }) => (
      <ul className="recorded">
        {needs.map((id) => (
          <li key={id} className="nowrap">
            {id.split("/").at(-1)}
          </li>
        ))}
      </ul>
    ),
  },
  {
    id: "provider",
    header: "Provider's id",
    cell: ({ providerId }) => (
      <span className="clip" title={providerId ?? ""}>
        {providerId}
      </span>
    ),
  },
  { id: "apiVersion", header: "API version", cell: ({ apiVersion }) => apiVersion },
];

function Installed({ name }: { name: ObjectName }): ReactElement {
  const { data, error } = useQuery(resourcesQuery(name));
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return <Loading what="the resources" />;
  return (
    <>
      <ResourceGraph resources={data.resources} />
      <DataTable caption="Resources" columns={MANAGED} rows={data.resources} keyOf={({ id }) => id} />
      {data.isCut ? <p className="quiet">There are more resources than these.</p> : null}
    </>
  );
}

/** The resources that its chart made, down to the conditions of the provider's operator. */
export function Resources({ name, managed }: { name: ObjectName } & Pick<ObjectReport, "managed">): ReactElement {
  if (managed.length === 0)
    return (
      <Empty title="Nothing is installed">
        <p>Its resources appear here once it has started.</p>
      </Empty>
    );
  return (
    <section className="resources">
      <h2>Resources</h2>
      <p className="quiet">Each resource stands behind those that it needs.</p>
      <Installed name={name} />
    </section>
  );
}
