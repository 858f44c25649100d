import { Link, useSearch } from "@tanstack/react-router";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Impact } from "../../../../src/console/contract/policies.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Figure, Message, Place, Time } from "../../ui/figures.tsx";
import { gramsText, usdText } from "../../ui/format.ts";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Running } from "../../ui/running.tsx";
import { useCommand } from "../../ui/use-command.ts";

type Changed = Impact["impacts"][number];
type Side = Changed["before"];

/** The place, the machine and the start of a decision, or why there is none. */
function SideCell({ side: { allowed, place, instanceType, start, codes, message } }: { side: Side }): ReactElement {
  if (!allowed)
    return (
      <span className="message">
        {codes.join(", ")}: <Message text={message ?? ""} />
      </span>
    );
  return (
    <>
      <Place place={place} /> <span className="nowrap">{instanceType ?? ""}</span>
      <br />
      <Time at={start} />
    </>
  );
}

/** Before and after, the second one in a line of its own. */
const Pair = ({ before, after }: { before: number | null; after: number | null }): ReactElement => (
  <>
    <Figure value={before} />
    <br />→ <Figure value={after} />
  </>
);

const COLUMNS: Column<Changed>[] = [
  {
    id: "object",
    header: "Object",
    cell: ({ object: { kind, namespace, name } }) => (
      <Link
        to="/objects/$kind/$objectNamespace/$name"
        params={{ kind, objectNamespace: namespace, name }}
        className="object-name"
      >
        {namespace}/{name}
      </Link>
    ),
  },
  { id: "change", header: "Change", cell: ({ change }) => <span className="nowrap">{change}</span> },
  { id: "before", header: "Before", cell: ({ before }) => <SideCell side={before} /> },
  { id: "after", header: "After", cell: ({ after }) => <SideCell side={after} /> },
  {
    id: "cost",
    header: "Cost, USD",
    figures: true,
    cell: ({ before, after }) => <Pair before={before.price} after={after.price} />,
  },
  {
    id: "carbon",
    header: "Carbon, g CO₂e",
    figures: true,
    cell: ({ before, after }) => <Pair before={before.carbon} after={after.carbon} />,
  },
];

function Report({ result: { summary, impacts } }: { result: Impact }): ReactElement {
  const { objects, changes, price, carbon } = summary;
  const counts = Object.entries(changes).filter(([, count]) => count > 0);
  return (
    <>
      <p className="sentence" role="status">
        {objects} objects:{" "}
        {counts.map(([change, count]) => `${String(count)} ${change === "none" ? "unchanged" : change}`).join(", ")}.
        Cost {usdText(price.before)} → {usdText(price.after)}, carbon {gramsText(carbon.before)} →{" "}
        {gramsText(carbon.after)}.
      </p>
      <p className="quiet">
        A month of machines without an end and each run once, list prices, objects that both allow.
      </p>
      {impacts.length === 0 ? (
        <p>Nothing would change.</p>
      ) : (
        <DataTable
          caption="Changed decisions"
          columns={COLUMNS}
          rows={impacts}
          keyOf={({ object: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`}
        />
      )}
    </>
  );
}

/** The objects that another bundle would deny, allow or move, by `landfall impact` on this machine. */
export function ImpactView(): ReactElement {
  const search = useSearch({ from: "/policies" });
  const change = useChangeSearch();
  const [bundle, setBundle] = useState(search.bundle ?? "");
  const [against, setAgainst] = useState(search.against ?? "");
  const { run, cancel, isRunning, since, result, problem } = useCommand<{ bundle: string; against: string }, Impact>(
    "/api/impact",
  );
  return (
    <section>
      <h2>Impact of another bundle</h2>
      <form
        className="options"
        onSubmit={(event) => {
          event.preventDefault();
          change({ bundle: bundle || undefined, against: against || undefined }, { replace: true });
          run({ bundle, against });
        }}
      >
        <label>
          New bundle
          <input
            value={bundle}
            required
            placeholder="registry.example.org/policies:1.3"
            onChange={({ target }) => setBundle(target.value)}
          />
        </label>
        <label>
          Compared with
          <input
            value={against}
            placeholder="what the webhook follows"
            onChange={({ target }) => setAgainst(target.value)}
          />
        </label>
        <Button type="submit" className="plain" isDisabled={isRunning}>
          Show impact
        </Button>
      </form>
      <p className="quiet">
        A file, a folder of policies, or an OCI reference. <code>landfall impact</code> runs on this machine with your
        rights and changes nothing. It decides every object of the cluster with both bundles, and asks the registry of
        each reference.
      </p>
      {since === null ? null : <Running what="The analysis" since={since} onCancel={cancel} />}
      {problem === null ? null : <ProblemView problem={problem} />}
      {result === undefined || isRunning ? null : <Report result={result} />}
    </section>
  );
}
