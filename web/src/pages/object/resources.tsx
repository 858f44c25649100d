import type { ReactElement } from "react";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Time } from "../../ui/figures.tsx";
import { Empty } from "../../ui/problem-view.tsx";

type Condition = ObjectReport["conditions"][number];
type Managed = ObjectReport["managed"][number];

const CONDITIONS: readonly Column<Condition>[] = [
  { id: "type", header: "Condition", cell: ({ type }) => type },
  { id: "status", header: "Status", cell: ({ status }) => status },
  { id: "reason", header: "Reason", cell: ({ reason }) => reason },
  { id: "since", header: "Since", cell: ({ since }) => <Time at={since} /> },
  { id: "message", header: "Message", cell: ({ message }) => <span className="message">{message}</span> },
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

const MANAGED: readonly Column<Managed>[] = [
  { id: "resource", header: "Resource", cell: ({ resource }) => resource },
  { id: "name", header: "Name", cell: ({ name }) => name },
  { id: "namespace", header: "Namespace", cell: ({ namespace }) => namespace },
  { id: "apiVersion", header: "API version", cell: ({ apiVersion }) => apiVersion },
];

/** The resources that its chart made. */
export function Resources({ managed }: Pick<ObjectReport, "managed">): ReactElement {
  if (managed.length === 0)
    return (
      <Empty title="Nothing is installed">
        <p>Its resources appear here once it has started.</p>
      </Empty>
    );
  return (
    <section>
      <h2>Resources</h2>
      <DataTable
        caption="Resources"
        columns={MANAGED}
        rows={managed}
        keyOf={({ apiVersion, resource, name }) => `${apiVersion}/${resource}/${name}`}
      />
    </section>
  );
}
