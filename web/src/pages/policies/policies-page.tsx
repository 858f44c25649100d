import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { policiesQuery } from "../../api/queries.ts";
import { Page } from "../../ui/page.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { ActiveBundles } from "./active-bundles.tsx";
import { Exemptions } from "./exemptions.tsx";
import { ImpactView } from "./impact-view.tsx";
import { NamespacesView } from "./namespaces-view.tsx";
import { SettingsView } from "./settings-view.tsx";

/** A part that shows the reported policies, in the states of their answer. */
function Reported({ view }: { view: "active" | "exemptions" }): ReactElement {
  const { data, error } = useQuery(policiesQuery());
  if (data !== undefined)
    return view === "active" ? <ActiveBundles data={data} /> : <Exemptions exemptions={data.exemptions} />;
  return error === null ? <Loading what="policies" lines={10} /> : <ProblemView problem={error} />;
}

/** The bundles that decide, the settings of a namespace, exemptions, and what another bundle would change. */
export function PoliciesPage(): ReactElement {
  const { view = "active" } = useSearch({ from: "/policies" });
  const change = useChangeSearch();
  return (
    <Page
      title="Policies"
      about="The rules in force, where each setting comes from, and what another bundle would change."
    >
      <Tabs
        selectedKey={view}
        onSelectionChange={(key) => change({ view: key === "active" ? undefined : String(key) })}
      >
        <TabList aria-label="Parts of the policies" className="tabs">
          <Tab id="active">Bundles</Tab>
          <Tab id="namespaces">Namespaces</Tab>
          <Tab id="settings">Settings</Tab>
          <Tab id="exemptions">Exemptions</Tab>
          <Tab id="impact">Impact</Tab>
        </TabList>
        <TabPanel id="active">
          <Reported view="active" />
        </TabPanel>
        <TabPanel id="namespaces">
          <NamespacesView />
        </TabPanel>
        <TabPanel id="settings">
          <SettingsView />
        </TabPanel>
        <TabPanel id="exemptions">
          <Reported view="exemptions" />
        </TabPanel>
        <TabPanel id="impact">
          <ImpactView />
        </TabPanel>
      </Tabs>
    </Page>
  );
}
