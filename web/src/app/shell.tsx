import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useSearch } from "@tanstack/react-router";
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "react-aria-components";
import { clusterQuery } from "../api/queries.ts";
import { type Connection, useChanges } from "../api/use-changes.ts";
import { Icon } from "../ui/icon.tsx";
import { timeText, zoneName } from "../ui/format.ts";
import { ProblemView } from "../ui/problem-view.tsx";
import { Select } from "../ui/select.tsx";
import { useNow } from "../ui/clock.ts";
import { ENTRIES } from "./navigation.ts";
import { useTheme } from "./theme.ts";
import { useChangeSearch } from "../address/use-change-search.ts";

function Navigation({ onChoice }: { onChoice: () => void }): ReactElement {
  return (
    <nav aria-label="Pages" className="side">
      <p className="brand">Landfall</p>
      <ul>
        {ENTRIES.map(({ to, text, icon }) => (
          <li key={to}>
            <Link to={to} activeOptions={{ exact: to === "/", includeSearch: false }} onClick={onChoice}>
              <Icon name={icon} />
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The namespace that every page shows; a field if the user cannot list namespaces. */
function NamespaceChoice(): ReactElement {
  const { namespace = "" } = useSearch({ strict: false });
  const change = useChangeSearch();
  const { data } = useQuery(clusterQuery());
  const choose = (chosen: string): void => {
    change({ namespace: chosen === "" ? undefined : chosen, offset: undefined });
  };
  const names = data?.namespaces ?? (data === undefined ? [] : [data.namespace]);
  const all = [...new Set([...names, ...(namespace === "" ? [] : [namespace])])].sort();
  const choices = [{ value: "", text: "All namespaces" }, ...all.map((name) => ({ value: name, text: name }))];
  return <Select label="Namespace" choices={choices} value={namespace} onChange={choose} quiet />;
}

const hostOf = (server: string): string => (URL.canParse(server) ? new URL(server).host : server);

function Bar({ onMenu, isOpen }: { onMenu: () => void; isOpen: boolean }): ReactElement {
  const { data } = useQuery(clusterQuery());
  const now = useNow();
  const { at } = useSearch({ strict: false });
  const change = useChangeSearch();
  const { theme, next } = useTheme();
  return (
    <header className="bar">
      <Button className="plain menu-button" onPress={onMenu} aria-expanded={isOpen} aria-label="Pages">
        <Icon name="menu" />
      </Button>
      <span className="bar-cluster" title={data?.server}>
        {data === undefined ? "" : hostOf(data.server)}
        {data?.version == null ? null : <span className="quiet bar-version"> {data.version}</span>}
      </span>
      <NamespaceChoice />
      <span className="bar-end">
        {at === undefined ? null : (
          <Button className="chip" onPress={() => change({ at: undefined })}>
            {timeText(new Date(at), now)} <span aria-hidden="true">×</span>
            <span className="hidden">: back to now</span>
          </Button>
        )}
        {data === undefined || data.timeLapse === 1 ? null : (
          <span
            className="quiet bar-lapse"
            title={`One second here is ${String(data.timeLapse)} seconds of a run that may pause: its times can lie ahead of the clock.`}
          >
            runs sped up {data.timeLapse}×
          </span>
        )}
        <time dateTime={now.toISOString()} title={`${now.toISOString().slice(0, 16).replace("T", " ")} UTC`}>
          {timeText(now, now)}
        </time>
        <span className="quiet bar-zone">{zoneName()}</span>
        <Button className="plain" onPress={next} aria-label={`Theme: ${theme}`}>
          <Icon name="theme" />
        </Button>
      </span>
    </header>
  );
}

function ConnectionLine({ connection }: { connection: Connection }): ReactElement | null {
  const now = useNow();
  if (!("since" in connection)) return null;
  const who = connection.state === "away" ? "The API server does not answer" : "The console does not answer";
  return (
    <p className="connection" role="status" data-connection={connection.state}>
      <Icon name="failing" />
      {who}: this page shows what was known at {timeText(new Date(connection.since), now)}, and tries again every few
      seconds.
    </p>
  );
}

/** Navigation, bar and the page; one stream of changes for all of it. */
export function Shell(): ReactElement {
  const { namespace } = useSearch({ strict: false });
  const connection = useChanges(namespace);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape") setOpen(false);
    };
    addEventListener("keydown", close);
    return () => {
      removeEventListener("keydown", close);
    };
  }, []);
  return (
    <div className="shell" data-menu={isOpen ? "open" : "closed"}>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <Navigation
        onChoice={() => {
          setOpen(false);
        }}
      />
      <Bar
        isOpen={isOpen}
        onMenu={() => {
          setOpen(!isOpen);
        }}
      />
      <main id="page" tabIndex={-1}>
        <ConnectionLine connection={connection} />
        <Outlet />
      </main>
    </div>
  );
}

/** An error of the program, in place of the page. */
export const PageError = ({ error }: { error: unknown }): ReactElement => <ProblemView problem={error} />;
