import type { ReactElement } from "react";
import type { Exemption } from "../../../../src/console/contract/policies.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";

const COLUMNS: Column<Exemption>[] = [
  { id: "id", header: "Id", cell: ({ id }) => <span className="nowrap">{id}</span> },
  { id: "codes", header: "Rules", cell: ({ codes }) => codes.join(", ") },
  { id: "namespaces", header: "Namespaces", cell: ({ namespaces }) => namespaces.join(", ") },
  { id: "names", header: "Objects", cell: ({ names }) => names.join(", ") },
  {
    id: "expires",
    header: "Until",
    cell: ({ expires, isOver }) => <span className="nowrap">{isOver ? `${expires} (over)` : expires}</span>,
  },
  { id: "owner", header: "Owner", cell: ({ owner }) => owner },
  { id: "reason", header: "Reason", cell: ({ reason }) => <span className="message">{reason}</span> },
];

/** The exemptions in the settings of the console's bundle. */
export const Exemptions = ({ exemptions }: { exemptions: readonly Exemption[] }): ReactElement => (
  <section>
    <h2>Exemptions</h2>
    {exemptions.length === 0 ? (
      <p className="quiet">The bundle exempts nothing: settings.exemptions is empty.</p>
    ) : (
      <DataTable caption="Exemptions" columns={COLUMNS} rows={exemptions} keyOf={({ id }) => id} />
    )}
  </section>
);
