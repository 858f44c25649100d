import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ReactElement } from "react";
import type { Explanation as Explained, ObjectReport } from "../../../../src/console/contract/object.ts";
import { explanationQuery, type ObjectName } from "../../api/queries.ts";
import { useChangeSearch } from "../../address/use-change-search.ts";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { Fact } from "../../ui/fact.tsx";
import { Time } from "../../ui/figures.tsx";
import { Unreadable } from "../../ui/unreadable.tsx";
import { Candidates } from "./candidates.tsx";
import { Denials } from "./denials.tsx";
import { Funnel } from "./funnel.tsx";
import { PlacePanel } from "./place-panel.tsx";

function bundleText({ sameBundle, bundle: { revision } }: Explained): string {
  if (sameBundle === null) return `its own bundle (${revision})`;
  return sameBundle ? "the bundle that decided" : `another bundle (${revision})`;
}

/** How far the explanation is the recorded decision. */
function Basis({ data, isDecided }: { data: Explained; isDecided: boolean }): ReactElement {
  return (
    <p className="quiet">
      Made again by this console with {bundleText(data)}, as of <Time at={data.at} />.{" "}
      {!isDecided
        ? "The object has no recorded place and start to compare with."
        : data.sameResult
          ? "It gives the recorded place and start."
          : "It gives another place or start than the recorded one: load, forecasts or rules were others then."}
    </p>
  );
}

const NAMED_BY = {
  object: "the object's own field, spec.origin",
  namespace: "the setting landfall.dev/origin of its namespace",
  platform: "the platform's default, for objects and namespaces that set none",
} as const;

/** The place that latency is measured from, and who names it. */
const Origin = ({ origin }: Pick<Explained, "origin">): ReactElement => (
  <dl className="facts">
    <Fact name="Latency from">
      {origin === null ? (
        "nowhere: neither the object, nor its namespace, nor the platform names an origin"
      ) : (
        <>
          {origin.place} <span className="quiet">({NAMED_BY[origin.from]})</span>
        </>
      )}
    </Fact>
  </dl>
);

/** The steps as admission wrote them, where the decision cannot be made again. */
const Recorded = ({ report }: { report: ObjectReport }): ReactElement => (
  <section>
    <h2>How the rules narrowed the places</h2>
    <ol className="recorded">
      {report.why.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  </section>
);

/** The rules, the candidates, and what another place would take. */
export function Explanation({ name, report }: { name: ObjectName; report: ObjectReport }): ReactElement {
  const { data, error } = useQuery(explanationQuery(name, report.row.decision ?? ""));
  const { place, places } = useSearch({ from: "/objects/$kind/$objectNamespace/$name" });
  const change = useChangeSearch();
  if (error !== null)
    return (
      <>
        <Recorded report={report} />
        <ProblemView problem={error} />
      </>
    );
  if (data === undefined) return <Loading what="the explanation" lines={10} />;
  return (
    <div className="with-panel">
      <div>
        {data.readable ? null : <Unreadable namespace={name.namespace} />}
        <Basis data={data} isDecided={report.row.decision !== null} />
        <Denials denials={data.denials} remedyIs="To do" />
        <Origin origin={data.origin} />
        <Funnel considered={data.considered} steps={data.funnel} />
        <Candidates
          candidates={data.candidates}
          funnel={data.funnel}
          decided={report.row.place}
          perHour={report.row.end === null}
          chosen={place ?? null}
          isAll={places === "all"}
          onChoose={(chosen) => change({ place: chosen })}
          onAll={(isAll) => change({ places: isAll ? "all" : undefined })}
        />
      </div>
      {place === undefined ? null : (
        <PlacePanel
          name={name}
          place={place}
          removedBy={data.candidates.find((one) => one.place === place)?.rule ?? null}
          perHour={report.row.end === null}
          onClose={() => {
            change({ place: undefined });
          }}
        />
      )}
    </div>
  );
}
