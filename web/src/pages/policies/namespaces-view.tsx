import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Namespaces } from "../../../../src/console/contract/policies.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { namespacesQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { Select } from "../../ui/select.tsx";
import { QuotaText } from "./quota-text.tsx";

type Row = Namespaces["namespaces"][number];

const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" });
const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code);

const columnsFor = (country: string | undefined): Column<Row>[] => [
  {
    id: "namespace",
    header: "Namespace",
    cell: ({ namespace }) => (
      <Link to="/policies" search={{ namespace, view: "settings" }} className="object-name">
        {namespace}
      </Link>
    ),
  },
  {
    id: "may",
    header: country === undefined ? "Places" : `May use ${countryName(country)}`,
    cell: ({ left, places }) => (
      <span className={left === 0 ? "state state-denied" : "nowrap"}>
        {left === 0 ? "no: " : ""}
        {left} of {places} places
      </span>
    ),
  },
  {
    id: "rules",
    header: "Removed by",
    cell: ({ rules, denials }) =>
      denials.length > 0 ? (
        <span className="message">{denials.join("; ")}</span>
      ) : rules.length === 0 ? (
        <span className="quiet">nothing</span>
      ) : (
        rules.map(({ rule, places }) => `${ruleName(rule)} (${String(places)})`).join(", ")
      ),
  },
  { id: "quota", header: "Quota", cell: ({ quotas }) => <QuotaText quotas={quotas} /> },
  {
    id: "objects",
    header: "Objects",
    cell: ({ namespace }) => (
      <span className="states">
        <Link to="/objects" search={{ namespace, sort: "vcpus", order: "descending" }}>
          Largest first<span className="hidden"> in {namespace}</span>
        </Link>
        <Link to="/objects" search={{ namespace, sort: "usdPerHour", order: "descending" }}>
          Dearest first<span className="hidden"> in {namespace}</span>
        </Link>
      </span>
    ),
  },
];

/** The places that the rules leave each namespace, in all countries or in one, and how full its quota is. */
export function NamespacesView(): ReactElement {
  const { country } = useSearch({ from: "/policies" });
  const change = useChangeSearch();
  const { data, error } = useQuery(namespacesQuery(country));
  if (data === undefined)
    return error === null ? <Loading what="namespaces" lines={8} /> : <ProblemView problem={error} />;
  const choices = data.countries.map((code) => ({ value: code, text: countryName(code) }));
  choices.sort((a, b) => (a.text < b.text ? -1 : 1));
  return (
    <section>
      <h2>Namespaces</h2>
      <div className="filters">
        <Select
          label="Country"
          choices={[{ value: "", text: "All countries" }, ...choices]}
          value={country ?? ""}
          onChange={(code) => change({ country: code === "" ? undefined : code })}
        />
      </div>
      <DataTable
        caption="Namespaces"
        columns={columnsFor(country)}
        rows={data.namespaces}
        keyOf={({ namespace }) => namespace}
      />
      <p className="quiet">
        For a machine of 2 vCPU and 8 GiB that asks for nothing else, by the console&apos;s bundle. Quotas count as the
        webhook counts: an object until its resources are deleted, and a cluster with its pools at their largest.
        {data.omitted === 0 ? "" : ` ${String(data.omitted)} namespaces are not listed.`}
      </p>
    </section>
  );
}
