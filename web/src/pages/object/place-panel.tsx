import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { Candidate, Counterfactual } from "../../../../src/console/contract/object.ts";
import { counterfactualQuery, type ObjectName } from "../../api/queries.ts";
import { gramsText } from "../../ui/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Loading, ProblemView } from "../../ui/problem-view.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { Time } from "../../ui/figures.tsx";
import { Denials } from "./denials.tsx";

interface PanelProps {
  name: ObjectName;
  place: string;
  /** The rule that removed it from the candidates. */
  removedBy: string | null;
  /** Whether the object has no end: its grams are those of an hour. */
  perHour: boolean;
  onClose: () => void;
}

function Allowed({
  candidate,
  removedBy,
  perHour,
}: { candidate: Candidate } & Pick<PanelProps, "removedBy" | "perHour">): ReactElement {
  return (
    <p>
      {removedBy === null
        ? "The rules allow it."
        : `The ${ruleName(removedBy)} removes it, and denies it to no object that names it in provider and schedulingLocation.`}{" "}
      It would be a {candidate.instanceType ?? "machine"}, starting at <Time at={candidate.start} relative />
      {candidate.grams === null ? "" : `, with ${gramsText(candidate.grams)}${perHour ? " per hour" : ""}`}
      {candidate.usdPerHour === null ? "" : ` and ${candidate.usdPerHour.toFixed(4)} USD/h`}.
    </p>
  );
}

function Denied({ data }: { data: Counterfactual }): ReactElement {
  return (
    <>
      <p>The rules do not allow it:</p>
      <Denials denials={data.denials} remedyIs="It would pass with" />
      {data.patch === null ? null : (
        <>
          <h3>As a patch</h3>
          <pre className="yaml" tabIndex={0} aria-label="JSON patch">
            {data.patch}
          </pre>
        </>
      )}
    </>
  );
}

/** The change that it takes for the object to run in one place. */
export function PlacePanel({ name, place, removedBy, perHour, onClose }: PanelProps): ReactElement {
  const { data, error } = useQuery(counterfactualQuery(name, place));
  return (
    <Panel label={`${place}: what it would take`} title={place} onClose={onClose}>
      {error !== null ? <ProblemView problem={error} /> : null}
      {data === undefined && error === null ? <Loading what={place} lines={4} /> : null}
      {data === undefined ? null : data.candidate === null ? (
        <Denied data={data} />
      ) : (
        <Allowed candidate={data.candidate} removedBy={removedBy} perHour={perHour} />
      )}
    </Panel>
  );
}
