import type { ReactElement } from "react";
import { Button, CheckboxButton, CheckboxField } from "react-aria-components";
import type { Candidate, Explanation } from "../../../../src/console/contract/object.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Figure, Latency, Time } from "../../ui/figures.tsx";
import { ruleName } from "../../ui/rule-name.ts";
import { sourceText } from "./funnel.tsx";

interface CandidatesProps {
  candidates: readonly Candidate[];
  funnel: Explanation["funnel"];
  /** The recorded place. */
  decided: string | null;
  /** Whether the object has no end: its grams are those of an hour. */
  perHour: boolean;
  /** The place whose panel is open. */
  chosen: string | null;
  isAll: boolean;
  onChoose: (place: string) => void;
  onAll: (isAll: boolean) => void;
}

function columnsOf({ funnel, decided, perHour, isAll, onChoose }: CandidatesProps): Column<Candidate>[] {
  const verdict = (rule: string | null): string => {
    if (rule === null) return "allowed";
    const step = funnel.find((one) => one.rule === rule);
    const source = step === undefined ? "" : sourceText(step);
    return `removed by ${ruleName(rule)}${source === "" ? "" : `, ${source}`}`;
  };
  return [
    {
      id: "place",
      header: "Place",
      cell: ({ place }) => (
        <Button className="link" onPress={() => onChoose(place)}>
          {place}
          {place === decided ? <span className="quiet"> decided</span> : null}
        </Button>
      ),
    },
    // Without the removed places, it would say "allowed" in each row.
    ...(isAll
      ? [
          {
            id: "verdict",
            header: "Rules",
            cell: ({ rule }: Candidate) => <span className="nowrap">{verdict(rule)}</span>,
          },
        ]
      : []),
    { id: "type", header: "Type", cell: ({ instanceType }) => <span className="nowrap">{instanceType ?? "–"}</span> },
    { id: "start", header: "Start", cell: ({ start }) => <Time at={start} /> },
    {
      id: "latency",
      header: "Latency, ms",
      figures: true,
      cell: ({ latencyMs, latencyEstimated }) => <Latency ms={latencyMs} estimate={latencyEstimated} />,
    },
    {
      id: "price",
      header: "Price, USD/h",
      figures: true,
      cell: ({ usdPerHour }) => <span>{usdPerHour === null ? "–" : usdPerHour.toFixed(4)}</span>,
    },
    {
      id: "grams",
      header: perHour ? "Carbon, g CO₂e/h" : "Carbon, g CO₂e",
      figures: true,
      cell: ({ grams }) => <Figure value={grams} />,
    },
    {
      id: "score",
      header: "Score",
      figures: true,
      cell: ({ score }) => <span>{score === null ? "–" : score.toFixed(3)}</span>,
    },
  ];
}

/** Every place with its figures, or with the rule that removed it. The best come first. */
export function Candidates(props: CandidatesProps): ReactElement {
  const { candidates, isAll, onAll, chosen } = props;
  const allowed = candidates.filter(({ rule }) => rule === null);
  return (
    <section>
      <div className="section-head">
        <h2>Candidates</h2>
        <CheckboxField isSelected={isAll} onChange={onAll}>
          <CheckboxButton className="checkbox">
            <span className="box" aria-hidden="true" />
            Also the {candidates.length - allowed.length} places that a rule removed
          </CheckboxButton>
        </CheckboxField>
      </div>
      <p className="quiet">
        A lower score is better; it weighs carbon, price and latency, and is computed for the best places. Choose a
        place to see what it would take.
      </p>
      {!isAll && allowed.length === 0 ? (
        <p>The rules leave no place. Show the removed ones to see which rule removed each.</p>
      ) : (
        <DataTable
          caption="Candidates"
          columns={columnsOf(props)}
          rows={isAll ? candidates : allowed}
          keyOf={({ place }) => place}
          chosen={chosen}
        />
      )}
    </section>
  );
}
