import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { type ReactElement, useCallback } from "react";
import { Button } from "react-aria-components";
import type { Row, Rows, Sort } from "../../../../src/console/contract/rows.ts";
import { rowsQuery } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { COLUMNS, keyOfRow } from "../../ui/object-columns.tsx";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { Empty, Loading, ProblemView } from "../../ui/problem-view.tsx";
import { countText, timeText } from "../../ui/format.ts";
import { useNow } from "../../ui/clock.ts";
import { KIND_CHOICES, PROVIDER_CHOICES, STATE_CHOICES } from "../../ui/choices.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { useCompact } from "../../ui/use-narrow.ts";
import { Select } from "../../ui/select.tsx";
import type { ObjectsSearch } from "./search.ts";

const PAGE_ROWS = 100;

type Change = (changed: Partial<Record<keyof ObjectsSearch, string | undefined>>) => void;

const NO_FILTERS = {
  ...{ kind: undefined, state: undefined, provider: undefined, place: undefined, search: undefined },
  runs: undefined,
};

interface RunsProps {
  runs: ObjectsSearch["runs"];
  at: string | undefined;
  change: Change;
}

/** The filter for what runs in the hour that the bar names. */
function Runs({ runs, at, change }: RunsProps): ReactElement | null {
  const now = useNow();
  const hour = at === undefined ? "now" : timeText(new Date(at), now);
  if (runs !== undefined)
    return (
      <Button className="chip" onPress={() => change({ runs: undefined })}>
        running {at === undefined ? "" : "at "}
        {hour} <span aria-hidden="true">×</span>
        <span className="hidden">: also those that do not run then</span>
      </Button>
    );
  // The bar names an hour, which this list does not heed.
  return at === undefined ? null : (
    <Button className="plain" onPress={() => change({ runs: "then" })}>
      Only what runs at {hour}
    </Button>
  );
}

function Filters({
  search,
  change,
  counted,
}: {
  search: ObjectsSearch & { at?: string };
  change: Change;
  counted: string;
}): ReactElement {
  const { kind = "", state = "", provider = "", place } = search;
  const searchFor = useCallback(
    (typed: string) => {
      change({ search: typed });
    },
    [change],
  );
  return (
    <div className="filters" role="search">
      <SearchBox value={search.search ?? ""} onSearch={searchFor} />
      <Select
        label="State"
        choices={STATE_CHOICES}
        value={state}
        onChange={(value) => change({ state: value })}
        quiet
      />
      <Select label="Kind" choices={KIND_CHOICES} value={kind} onChange={(value) => change({ kind: value })} quiet />
      <Select
        label="Provider"
        choices={PROVIDER_CHOICES}
        value={provider}
        onChange={(value) => change({ provider: value })}
        quiet
      />
      {place === undefined ? null : (
        <Button className="chip" onPress={() => change({ place: undefined })}>
          {place} <span aria-hidden="true">×</span>
          <span className="hidden">: show all places</span>
        </Button>
      )}
      <Runs runs={search.runs} at={search.at} change={change} />
      <span className="counted quiet" role="status">
        {counted}
      </span>
    </div>
  );
}

/** How many objects pass the filters; at least so many while they are being read. */
function totalText({ total, all, whole, about }: Rows): string {
  if (whole) return `${countText(total)}${total === all ? "" : ` (${countText(all)} without filters)`}`;
  return total === all && about !== null ? `about ${countText(about)}` : `at least ${countText(total)}`;
}

/** How many objects there are, or how far their list has been read. */
function countedText({ total, all, whole, about }: Rows): string {
  if (!whole) return `${countText(all)}${about === null ? "" : ` of about ${countText(about)}`} objects loaded so far`;
  return `${total === all ? "" : `${countText(total)} of `}${countText(all)} ${all === 1 ? "object" : "objects"}`;
}

function Pager({ rows, offset, change }: { rows: Rows; offset: number; change: Change }): ReactElement {
  const last = offset + rows.rows.length;
  return (
    <div className="pager">
      <span>
        {rows.total === 0 ? "0" : `${countText(offset + 1)}–${countText(last)}`} of {totalText(rows)}
      </span>
      <Button
        className="plain"
        isDisabled={offset === 0}
        onPress={() => change({ offset: String(Math.max(0, offset - PAGE_ROWS)) })}
      >
        Previous
      </Button>
      <Button
        className="plain"
        isDisabled={rows.whole && last >= rows.total}
        onPress={() => change({ offset: String(last) })}
      >
        Next
      </Button>
    </div>
  );
}

// Names, states, reasons and these figures fit on 1280 pixels: what matters less is to the right of them.
const FIGURES = [
  ...[COLUMNS.place, COLUMNS.start, COLUMNS.end, COLUMNS.grams, COLUMNS.saved, COLUMNS.price, COLUMNS.vcpus],
  ...[COLUMNS.type, COLUMNS.kind],
];

function columnsFor(namespace: string | undefined, isCompact: boolean): Column<Row, Sort>[] {
  if (isCompact) return [namespace === undefined ? COLUMNS.nameIn : COLUMNS.name, COLUMNS.stateWhy, ...FIGURES];
  const names = namespace === undefined ? [COLUMNS.name, COLUMNS.namespace] : [COLUMNS.name];
  return [...names, COLUMNS.state, COLUMNS.reason, ...FIGURES];
}

/** A page without rows: nothing is there, or the filters leave nothing. */
function Nothing({ all, change }: { all: number; change: Change }): ReactElement {
  if (all === 0)
    return (
      <Empty title="There are no objects here yet">
        <p>
          Apply a VmTemplate, for instance <code>kubectl apply -f examples/01-anywhere.yaml</code>.
        </p>
      </Empty>
    );
  return (
    <Empty title="No object passes these filters">
      <Button className="plain" onPress={() => change(NO_FILTERS)}>
        Remove all filters
      </Button>
    </Empty>
  );
}

type Ordered = Required<Pick<ObjectsSearch, "sort" | "order" | "offset">> & { namespace?: string };

function Found({ data, search, change }: { data: Rows; search: Ordered; change: Change }): ReactElement {
  const { sort, order, offset, namespace } = search;
  const isCompact = useCompact();
  return (
    <>
      <DataTable
        caption="Objects"
        columns={columnsFor(namespace, isCompact)}
        rows={data.rows}
        keyOf={keyOfRow}
        order={{ sort, order, onChange: (by, to) => change({ sort: by, order: to }) }}
      />
      {data.total === 0 ? (
        <Nothing all={data.all} change={change} />
      ) : (
        <Pager rows={data} offset={offset} change={change} />
      )}
    </>
  );
}

/** All objects of the namespace, or of all, in pages that the server sorts and filters. */
export function ObjectsPage(): ReactElement {
  const search = useSearch({ from: "/objects" });
  const changeSearch = useChangeSearch();
  const query = { sort: "name", order: "ascending", offset: 0, ...search } as const;
  const { at, runs, ...filters } = query;
  const then = runs === undefined ? {} : { runsAt: at ?? "now" };
  const { data, error } = useQuery(rowsQuery({ ...filters, ...then, limit: PAGE_ROWS }));
  const change = useCallback<Change>(
    (changed) => {
      changeSearch({ offset: undefined, ...changed }, { replace: "search" in changed });
    },
    [changeSearch],
  );
  return (
    <Page title="Objects" about="Every VmTemplate and KaasCluster, with the place and the start that it got.">
      <Filters search={search} change={change} counted={data === undefined ? "" : countedText(data)} />
      {data !== undefined ? (
        <Found data={data} search={query} change={change} />
      ) : error !== null ? (
        <ProblemView problem={error} />
      ) : (
        <Loading what="objects" lines={12} />
      )}
    </Page>
  );
}
