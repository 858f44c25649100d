import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import { type ObjectName, objectQuery } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { given, oneIn, textIn } from "../../address/read-search.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { DecisionFacts } from "./decision-facts.tsx";
import { Explanation } from "./explanation.tsx";
import { Life } from "./life.tsx";
import { Conditions, Resources } from "./resources.tsx";
import { Told } from "./told.tsx";
import { SignatureMark } from "./signature-mark.tsx";

const VIEWS = ["why", "life", "resources", "yaml"] as const;

/** The part of the page and the place whose panel is open, as they stand in the address. */
export const objectSearch = (search: Record<string, unknown>) =>
  given({
    view: oneIn(search, "view", VIEWS),
    place: textIn(search, "place"),
    places: oneIn(search, "places", ["all"] as const),
  });

function Views({ name, report }: { name: ObjectName; report: ObjectReport }): ReactElement {
  const { view = "why" } = useSearch({ from: "/objects/$kind/$objectNamespace/$name" });
  const change = useChangeSearch();
  return (
    <Tabs selectedKey={view} onSelectionChange={(key) => change({ view: String(key), place: undefined })}>
      <TabList aria-label="Parts of the object" className="tabs">
        <Tab id="why">Why here and then</Tab>
        <Tab id="life">Life</Tab>
        <Tab id="resources">Resources</Tab>
        <Tab id="yaml">YAML</Tab>
      </TabList>
      <TabPanel id="why">
        <Explanation name={name} report={report} />
      </TabPanel>
      <TabPanel id="life">
        <Life life={report.life} />
        <Conditions conditions={report.conditions} />
      </TabPanel>
      <TabPanel id="resources">
        <Resources name={name} managed={report.managed} />
      </TabPanel>
      <TabPanel id="yaml">
        <pre className="yaml" tabIndex={0} aria-label="YAML">
          {report.yaml}
        </pre>
      </TabPanel>
    </Tabs>
  );
}

/** One object: what was decided and why, its life, its resources and its YAML. */
export function ObjectPage(): ReactElement {
  const { kind, objectNamespace, name } = useParams({ from: "/objects/$kind/$objectNamespace/$name" });
  const object = { kind, namespace: objectNamespace, name };
  const { data, error } = useQuery(objectQuery(object));
  const about = (
    <>
      <Link to="/objects">Objects</Link> · {kind} in {objectNamespace}
    </>
  );
  const actions =
    data === undefined ? null : (
      <>
        <StateMark state={data.row.state} />
        {data.row.verdict === "deny" ? <StateMark state="denied" /> : null}
        <SignatureMark signature={data.signature} />
      </>
    );
  return (
    <Page title={name} about={about} actions={actions}>
      {error !== null ? <ProblemView problem={error} /> : null}
      {data === undefined ? (
        error === null ? (
          <Loading what={name} lines={14} />
        ) : null
      ) : (
        <>
          <Told row={data.row} />
          <DecisionFacts report={data} />
          <Views name={object} report={data} />
        </>
      )}
    </Page>
  );
}
