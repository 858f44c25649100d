import type { ReactElement, ReactNode } from "react";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import type { Row } from "../../../../src/console/contract/rows.ts";
import { gramsText, UNKNOWN, usdText } from "../../ui/format.ts";
import { Time } from "../../ui/figures.tsx";

/** The part of a report that says what was decided. */
type Shown = Pick<ObjectReport, "row" | "considered" | "eligible" | "bundle">;

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactElement => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const grams = (value: number | null, { end }: Row): string =>
  value === null ? UNKNOWN : `${gramsText(value)}${end === null ? " per hour" : ""}`;

/** By how much the decided value is less than another one. */
function percentSaved(value: number | null, other: number | null): string {
  if (value === null || other === null || other === 0) return "";
  const percent = Math.round((1 - value / other) * 100);
  if (percent === 0) return " (the same)";
  return percent > 0 ? ` (saves ${String(percent)}\u00a0%)` : ` (takes ${String(-percent)}\u00a0% more)`;
}

/** Whether the sentence lacks what the controller says: it has the countdown to the start already. */
const isTold = ({ message, reason }: Row): boolean => message !== "" && reason !== "WaitingForStart";

const Undecided = ({ row: { message } }: { row: Row }): ReactElement => (
  <p>
    {message === ""
      ? "This object has no decision that this version reads: it was made without Landfall's webhook."
      : `This object has no decision: ${message}.`}
  </p>
);

/** The decision in one sentence. */
function Sentence({ report: { row, considered, eligible } }: { report: Shown }): ReactElement {
  if (row.place === null) return <Undecided row={row} />;
  const counted =
    considered === null || eligible === null
      ? ""
      : ` Of ${String(considered)} places, ${String(eligible)} met every rule.`;
  const waits = row.nowGrams !== null && row.grams !== null && row.nowGrams - row.grams > 0.005;
  return (
    <p className="sentence">
      Landfall chose <strong>{row.place}</strong> and a start at{" "}
      <strong>
        <Time at={row.start} relative />
      </strong>
      .{counted}
      {waits ? ` Waiting for that hour saves ${gramsText((row.nowGrams ?? 0) - (row.grams ?? 0))}.` : ""}
      {isTold(row) ? ` Now: ${row.message}.` : ""}
    </p>
  );
}

const Price = ({ row: { usdPerHour, usd } }: { row: Row }): ReactElement => (
  <>
    {usdPerHour === null ? UNKNOWN : `${usdPerHour.toFixed(4)} USD/h`}
    {usd === null ? null : <span className="quiet"> ({usdText(usd)} for the run)</span>}
  </>
);

function Latency({ row: { latencyMs, latencyEstimated } }: { row: Row }): ReactElement {
  if (latencyMs === null) return <>{UNKNOWN}</>;
  return latencyEstimated ? <span className="estimate">{latencyMs} ms, estimated</span> : <>{latencyMs} ms</>;
}

const price = (usd: number | null, { end }: Row): string =>
  usd === null ? "price not known" : `${usdText(usd)}${end === null ? " per hour" : ""}`;

/** Grams and price that it did not become, and by how much it is less. */
const Instead = ({ value, usd, row }: { value: number | null; usd: number | null; row: Row }): ReactElement => (
  <>
    {grams(value, row)}
    <span className="quiet">{percentSaved(row.grams, value)}</span>, {price(usd, row)}
    <span className="quiet">{percentSaved(row.end === null ? row.usdPerHour : row.usd, usd)}</span>
  </>
);

const Facts = ({ row, bundle }: Shown): ReactElement => (
  <dl className="facts facts-wide">
    <Fact name="Place">{row.place}</Fact>
    <Fact name="Machine type">{row.instanceType ?? UNKNOWN}</Fact>
    <Fact name="Start">
      <Time at={row.start} />
    </Fact>
    <Fact name="End">{row.end === null ? "runs until it is deleted" : <Time at={row.end} />}</Fact>
    <Fact name="Deadline">{row.deadline === null ? "none" : <Time at={row.deadline} />}</Fact>
    <Fact name="Carbon">{grams(row.grams, row)}</Fact>
    <Fact name="Now at the origin">
      <Instead value={row.baselineGrams} usd={row.baselineUsd} row={row} />
    </Fact>
    <Fact name="Now in the best place">
      <Instead value={row.nowGrams} usd={row.nowUsd} row={row} />
    </Fact>
    <Fact name="Price, list">
      <Price row={row} />
    </Fact>
    <Fact name="Latency to the origin">
      <Latency row={row} />
    </Fact>
    <Fact name="Decision">{row.decision ?? UNKNOWN}</Fact>
    <Fact name="Bundle">
      <span className="clip" title={bundle?.digest}>
        {bundle?.revision ?? UNKNOWN}
      </span>
    </Fact>
  </dl>
);

/** The decision, in a sentence and in figures. */
export const DecisionFacts = ({ report }: { report: Shown }): ReactElement => (
  <section aria-label="The decision">
    <Sentence report={report} />
    {report.row.place === null ? null : <Facts {...report} />}
  </section>
);
