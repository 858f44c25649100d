import type { ReactElement } from "react";
import type { ObjectReport } from "../../../../src/console/contract/object.ts";
import type { Row } from "../../../../src/console/contract/rows.ts";
import { gramsText, UNKNOWN, usdText } from "../../ui/format.ts";
import { Fact } from "../../ui/fact.tsx";
import { Time } from "../../ui/figures.tsx";
import { Pauses } from "../../ui/pauses.tsx";

/** The part of a report that says what was decided. */
type Shown = Pick<ObjectReport, "row" | "considered" | "eligible" | "bundle" | "fixed">;

const grams = (value: number | null, { end }: Row): string =>
  value === null ? UNKNOWN : `${gramsText(value)}${end === null ? " per hour" : ""}`;

/** By how much the decided value is less than another one. */
function percentSaved(value: number | null, other: number | null): string {
  if (value === null || other === null || other === 0) return "";
  const percent = Math.round((1 - value / other) * 100);
  if (percent === 0) return " (the same)";
  return percent > 0 ? ` (saves ${String(percent)}\u00a0%)` : ` (takes ${String(-percent)}\u00a0% more)`;
}

const Undecided = (): ReactElement => (
  <p>This object has no decision that this version reads: it was denied, or made without Landfall&apos;s webhook.</p>
);

/** The chosen place and start, and what the object asked for. */
function Choice({ row, fixed }: Pick<Shown, "row" | "fixed">): ReactElement {
  const place = <strong>{row.place}</strong>;
  const start = (
    <>
      a start at{" "}
      <strong>
        <Time at={row.start} relative />
      </strong>
    </>
  );
  const also = [
    ...(fixed.provider && !fixed.region ? ["the provider"] : []),
    ...(fixed.instanceType ? ["the machine type"] : []),
  ];
  return (
    <>
      {fixed.region ? "The object asks for" : "Landfall chose"} {place}
      {fixed.region === fixed.start ? " and " : fixed.start ? ". The object asks for " : ". Landfall chose "}
      {start}.{also.length === 0 ? "" : ` The object also fixes ${also.join(" and ")}.`}
    </>
  );
}

/** The saving of waiting, with the pauses of the run; the decision has no figure of the pauses alone. */
function savedText({ nowGrams, grams: decided, parts }: Row): string {
  const pauses = Math.max(0, parts.length - 1);
  const saved = (nowGrams ?? 0) - (decided ?? 0);
  const waits = nowGrams !== null && decided !== null && saved > 0.005;
  if (pauses === 0) return waits ? ` Waiting for that hour saves ${gramsText(saved)}.` : "";
  const often = pauses === 1 ? "once" : `${String(pauses)} times`;
  const together = waits ? ` Waiting for that hour and the pauses save ${gramsText(saved)} together.` : "";
  return ` The run pauses ${often}.${together} The decision has no figure for the pauses alone; the timeline compares the run with one without them.`;
}

/** The decision in one sentence. */
function Sentence({ report: { row, considered, eligible, fixed } }: { report: Shown }): ReactElement {
  if (row.place === null) return <Undecided />;
  const counted =
    considered === null || eligible === null
      ? ""
      : ` Of ${String(considered)} places, ${String(eligible)} met every rule.`;
  return (
    <p className="sentence">
      <Choice row={row} fixed={fixed} />
      {counted}
      {savedText(row)}
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
  // Whole milliseconds, as in the tables.
  const ms = Math.round(latencyMs);
  return latencyEstimated ? <span className="estimate">{ms} ms, estimated</span> : <>{ms} ms</>;
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

/** Starts that are closer to each other are the same, in ms: a controller takes a moment. */
const SAME_MS = 5 * 60_000;

/** The start of the run, and the decided one if it is another: a kept machine runs again without another decision. */
function Start({ row: { start, startsAt } }: { row: Row }): ReactElement {
  const isSame = Math.abs(Date.parse(startsAt ?? "") - Date.parse(start ?? "")) < SAME_MS;
  return (
    <>
      <Time at={startsAt} />
      {isSame || start === null ? null : (
        <span className="quiet">
          {" "}
          (decided: <Time at={start} />)
        </span>
      )}
    </>
  );
}

function End({ row: { endsAt, state } }: { row: Row }): ReactElement {
  if (endsAt === null) return <>runs until it is deleted</>;
  return (
    <>
      <Time at={endsAt} />
      {state === "overdue" ? ", and the machine is kept" : ""}
    </>
  );
}

const Facts = ({ row, bundle }: Shown): ReactElement => (
  <dl className="facts facts-wide">
    <Fact name="Place">{row.place}</Fact>
    <Fact name="Machine type">{row.instanceType ?? UNKNOWN}</Fact>
    <Fact name="Start">
      <Start row={row} />
    </Fact>
    <Fact name="End">
      <End row={row} />
    </Fact>
    {row.parts.length < 2 ? null : (
      <Fact name="Pauses">
        <Pauses row={row} />
      </Fact>
    )}
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
