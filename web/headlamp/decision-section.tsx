import { SectionBox } from "@kinvolk/headlamp-plugin/lib/CommonComponents";
import type { ReactElement } from "react";
import { rowOf } from "../../src/console/objects/row-of.ts";
import { decidedPart } from "../../src/console/report/decided-part.ts";
import type { Resource } from "../../src/model/kubernetes.ts";
import { DecisionFacts } from "../src/pages/object/decision-facts.tsx";
import { Told } from "../src/pages/object/told.tsx";
import { StateMark } from "../src/ui/state-mark.tsx";
import styles from "./styles.css?inline";

/** The decision of an object as the console shows it, and how the rules narrowed the places. */
export function DecisionSection({ object }: { object: object }): ReactElement {
  const resource = object as Resource;
  const row = rowOf(resource);
  const { why, ...decided } = decidedPart(resource);
  return (
    <SectionBox title="Landfall's decision">
      <style>{styles}</style>
      <div className="landfall">
        <StateMark state={row.state} />
        <Told row={row} />
        <DecisionFacts report={{ row, ...decided }} />
        {why.length === 0 ? null : (
          <>
            <h3>How the rules narrowed the places</h3>
            <ol>
              {why.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          </>
        )}
      </div>
    </SectionBox>
  );
}
