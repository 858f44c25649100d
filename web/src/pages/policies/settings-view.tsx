import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Setting } from "../../../../src/console/contract/policies.ts";
import { settingsQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { Closed, Unreadable } from "../../ui/unreadable.tsx";
import { QuotaText } from "./quota-text.tsx";

const FROM = {
  platform: "platform",
  namespace: "namespace",
  both: "platform and namespace",
  none: "–",
} as const satisfies Record<Setting["from"], string>;

const COLUMNS: Column<Setting>[] = [
  {
    id: "name",
    header: "Setting",
    cell: ({ name, meaning }) => (
      <>
        <code>{name.replace("landfall.dev/", "")}</code>
        <span className="quiet setting-meaning">{meaning}</span>
      </>
    ),
  },
  {
    id: "force",
    header: "In force",
    cell: ({ inForce, problem }) =>
      problem === null ? (
        <span className="message">{inForce}</span>
      ) : (
        <span className="state state-failing">
          <Icon name="failing" />
          {inForce}
        </span>
      ),
  },
  { id: "from", header: "From", cell: ({ from }) => <span className="nowrap">{FROM[from]}</span> },
  { id: "platform", header: "Platform", cell: ({ platform }) => <span className="message quiet">{platform}</span> },
  {
    id: "namespace",
    header: "Namespace",
    cell: ({ namespace, problem }) => (
      <>
        <span className="message">{namespace ?? "not set"}</span>
        {problem === null ? null : <span className="setting-meaning message">{problem}</span>}
      </>
    ),
  },
];

/** The settings in force for the chosen namespace, and where each comes from. */
export function SettingsView(): ReactElement {
  const { namespace } = useSearch({ strict: false });
  const { data, error } = useQuery(settingsQuery(namespace));
  if (data === undefined)
    return error === null ? <Loading what="settings" lines={12} /> : <ProblemView problem={error} />;
  const { settings, quotas, readable, places, denials } = data;
  return (
    <section>
      <h2>Settings for namespace {data.namespace}</h2>
      {readable ? null : <Unreadable namespace={data.namespace} />}
      <Closed denials={denials} />
      <p>
        The rules leave {places.left} of {places.all} places. Quota: <QuotaText quotas={quotas} />
      </p>
      <DataTable caption="Settings in force" columns={COLUMNS} rows={settings} keyOf={({ name }) => name} />
      <p className="quiet">Choose another namespace in the bar. An exemption can waive a limit for single objects.</p>
    </section>
  );
}
