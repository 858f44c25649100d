import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Overview } from "../../../../src/console/contract/overview.ts";
import type { State } from "../../../../src/console/contract/rows.ts";
import { overviewQuery } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { COLUMNS, keyOfRow } from "../../ui/object-columns.tsx";
import { useNarrow } from "../../ui/use-narrow.ts";
import { Empty, Loading, ProblemView } from "../../ui/problem-view.tsx";
import { RecordedFiles } from "./recorded-files.tsx";
import { Sums } from "./sums.tsx";
import { STATE_WORDS, StateMark } from "../../ui/state-mark.tsx";

const ORDER: readonly (State | "denied")[] = [
  ...(["waiting", "starting", "running", "overdue", "ending", "ended", "failing", "denied"] as const),
];

function States({ states, audited }: Pick<Overview, "states" | "audited">): ReactElement {
  return (
    <ul className="tiles" aria-label="Objects by state">
      {ORDER.map((state) => {
        const isUnknown = state === "denied" && !audited;
        return (
          <li key={state}>
            <Link to="/objects" search={{ state }} className="tile" title={STATE_WORDS[state].meaning}>
              <span className="tile-figure">{isUnknown ? "–" : (states[state] ?? 0)}</span>
              <StateMark state={state} />
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

const NEXT = {
  wide: [COLUMNS.name, COLUMNS.namespace, COLUMNS.place, COLUMNS.start, COLUMNS.grams],
  narrow: [COLUMNS.nameIn, COLUMNS.start, COLUMNS.place, COLUMNS.grams],
};
const ATTENTION = {
  wide: [COLUMNS.name, COLUMNS.namespace, COLUMNS.state, COLUMNS.reason, COLUMNS.place],
  narrow: [COLUMNS.nameIn, COLUMNS.stateWhy, COLUMNS.place],
};

function Content({ data }: { data: Overview }): ReactElement {
  const width = useNarrow() ? "narrow" : "wide";
  if (data.all === 0)
    return (
      <Empty title="There are no objects here yet">
        <p>
          Apply a VmTemplate, for instance <code>kubectl apply -f examples/01-anywhere.yaml</code>. It then appears here
          with its place and its start.
        </p>
      </Empty>
    );
  return (
    <>
      <States states={data.states} audited={data.audited} />
      <section>
        <h2>Needs attention</h2>
        {data.attention.length === 0 ? (
          <p className="quiet">
            Nothing fails or is overdue, and the policies in force would deny nothing that is here.
          </p>
        ) : (
          <DataTable caption="Needs attention" columns={ATTENTION[width]} rows={data.attention} keyOf={keyOfRow} />
        )}
      </section>
      <section>
        <h2>Next starts</h2>
        {data.next.length === 0 ? (
          <p className="quiet">Nothing waits for its start.</p>
        ) : (
          <DataTable caption="Next starts" columns={NEXT[width]} rows={data.next} keyOf={keyOfRow} />
        )}
      </section>
      <div className="columns">
        <Sums title="Runs" about="each for its whole run" figures={data.runs} />
        <Sums title="Machines without an end" about="each for one hour" figures={data.perHour} />
      </div>
    </>
  );
}

/** The objects by state, their carbon and price, the next starts, and those that need attention. */
export function OverviewPage(): ReactElement {
  const { namespace } = useSearch({ strict: false });
  const { data, error } = useQuery(overviewQuery(namespace));
  return (
    <Page title="Overview" about={namespace === undefined ? "All namespaces." : `Namespace ${namespace}.`}>
      {data !== undefined ? (
        <Content data={data} />
      ) : error !== null ? (
        <ProblemView problem={error} />
      ) : (
        <Loading what="the overview" lines={12} />
      )}
      <RecordedFiles />
    </Page>
  );
}
