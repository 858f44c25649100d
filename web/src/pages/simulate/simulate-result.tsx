import type { ReactElement } from "react";
import type { SimulationResult } from "../../../../src/console/contract/simulation.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Figure, Latency } from "../../ui/figures.tsx";
import { countText, UNKNOWN } from "../../ui/format.ts";

type Policy = SimulationResult["policies"][number];
type Point = SimulationResult["frontier"][number];
type Pausing = SimulationResult["pauses"][number];

const percent = (share: number): string => (100 * share).toFixed(1);

/** How each policy chooses, in a few words; docs/guides/simulate.md has more. */
const MEANINGS: Readonly<Record<string, string>> = {
  "run-now-at-origin": "starts immediately at its origin; all savings are relative to it",
  "random-region": "starts immediately in a random allowed region",
  "lowest-average-region": "starts immediately where the mean was lowest so far",
  "greedy-region-only": "starts immediately where the last hour was lowest",
  "lets-wait-awhile": "waits at its origin, by the forecast",
  "gaia-lowest-slot": "waits at its origin for the cleanest hour",
  "gaia-lowest-window": "waits at its origin for the cleanest hours in a row",
  "gaia-carbon-time": "waits at its origin for what saves most per hour",
  "persistence-24h": "chooses place and time as if the last day repeated",
  ours: "Landfall: place and time, by a forecast that learns",
  "clairvoyant-same-cost": "knows the year, and pays for waiting as Landfall does",
  clairvoyant: "knows the year: nothing can save more",
  "carbonscaler-suspend-resume": "runs in the cleaner hours of the next day",
  "lets-wait-awhile-interrupting": "runs in the cleanest hours before its deadline",
  "ours-pausing": "Landfall with pauses",
  "clairvoyant-pausing": "knows the year, with pauses",
};

const Name = ({ name }: { name: string }): ReactElement => (
  <>
    <span className="nowrap">{name}</span>
    <span className="setting-meaning quiet">{MEANINGS[name] ?? ""}</span>
  </>
);

const share = (value: number | null): ReactElement => <span>{value === null ? UNKNOWN : percent(value)}</span>;

function policyColumns({ policies, upperBound }: SimulationResult): Column<Policy>[] {
  const baseline = policies[0]?.kgCO2 ?? 0;
  const possible = baseline - upperBound.kgCO2;
  return [
    { id: "name", header: "Policy", cell: ({ name }) => <Name name={name} /> },
    { id: "kg", header: "Carbon, kg CO₂e", figures: true, cell: ({ kgCO2 }) => <Figure value={kgCO2} /> },
    {
      id: "saved",
      header: "Saved, %",
      figures: true,
      cell: ({ kgCO2 }) => share(baseline === 0 ? null : 1 - kgCO2 / baseline),
    },
    {
      id: "share",
      header: "Of what can be saved, %",
      figures: true,
      cell: ({ kgCO2 }) => share(possible <= 0 ? null : (baseline - kgCO2) / possible),
    },
    {
      ...{ id: "delay", header: "Mean wait, h", figures: true },
      cell: ({ meanDelayHours }) => <Figure value={meanDelayHours} />,
    },
    {
      id: "latency",
      header: "Mean latency, ms",
      figures: true,
      cell: ({ meanLatencyMs }) => <Latency ms={meanLatencyMs} estimate={false} />,
    },
    { id: "cost", header: "Price, USD", figures: true, cell: ({ cost }) => <Figure value={cost} /> },
    {
      ...{ id: "violations", header: "Jobs against a rule", figures: true },
      cell: ({ violations }) => <span>{violations}</span>,
    },
  ];
}

const frontierColumns = ({ waitingCostPercent: inForce }: SimulationResult): Column<Point>[] => [
  {
    id: "cost",
    header: "Cost of a day of waiting, %",
    cell: ({ waitingCostPercent }) => (
      <span className="nowrap">
        {waitingCostPercent}
        {waitingCostPercent === inForce ? " (in force)" : ""}
      </span>
    ),
  },
  { id: "ours", header: "Landfall, kg CO₂e", figures: true, cell: ({ ours }) => <Figure value={ours.kgCO2} /> },
  { id: "delay", header: "Mean wait, h", figures: true, cell: ({ ours }) => <Figure value={ours.meanDelayHours} /> },
  {
    id: "best",
    header: "Perfect knowledge, kg CO₂e",
    figures: true,
    cell: ({ clairvoyant }) => <Figure value={clairvoyant.kgCO2} />,
  },
  {
    id: "least",
    header: "Its mean wait, h",
    figures: true,
    cell: ({ clairvoyant }) => <Figure value={clairvoyant.meanDelayHours} />,
  },
];

/** Saving against waiting: one row for each cost of a day. */
const Frontier = ({ result }: { result: SimulationResult }): ReactElement => (
  <section>
    <h2>Saving against waiting</h2>
    <p className="quiet">
      A job waits only for hours that save more than its waiting costs. A higher cost gives shorter waits and saves
      less. In force is {result.waitingCostPercent} % a day.
    </p>
    <DataTable
      caption="Saving against waiting"
      columns={frontierColumns(result)}
      rows={result.frontier}
      keyOf={({ waitingCostPercent }) => String(waitingCostPercent)}
      chosen={String(result.waitingCostPercent)}
    />
  </section>
);

const PAUSES: Column<Pausing>[] = [
  { id: "name", header: "Policy", cell: ({ name }) => <Name name={name} /> },
  { id: "kg", header: "Carbon, kg CO₂e", figures: true, cell: ({ kgCO2 }) => <Figure value={kgCO2} /> },
  {
    ...{ id: "saved", header: "Saved by pauses, %", figures: true },
    cell: ({ savedOverOneRun }) => share(savedOverOneRun),
  },
  {
    ...{ id: "delay", header: "Mean delay of the end, h", figures: true },
    cell: ({ meanDelayHours }) => <Figure value={meanDelayHours} />,
  },
  { id: "mean", header: "Mean pauses", figures: true, cell: ({ meanPauses }) => <Figure value={meanPauses} /> },
  { id: "most", header: "Most pauses", figures: true, cell: ({ mostPauses }) => <span>{mostPauses}</span> },
  { id: "late", header: "Missed deadlines", figures: true, cell: (one) => <span>{one.deadlineMisses}</span> },
];

/** The figures of a simulation, its frontier and its plots. */
export function SimulateResult({ result }: { result: SimulationResult }): ReactElement {
  return (
    <>
      <section>
        <h2>Policies compared, for {countText(result.jobs)} jobs</h2>
        <DataTable
          caption="Policies of the simulation"
          columns={policyColumns(result)}
          rows={result.policies}
          keyOf={({ name }) => name}
          chosen="ours"
        />
      </section>
      {result.frontier.length === 0 ? null : <Frontier result={result} />}
      {result.pauses.length === 0 ? null : (
        <section>
          <h2>Runs that pause</h2>
          <DataTable
            caption="Runs that pause"
            columns={PAUSES}
            rows={result.pauses}
            keyOf={({ name }) => name}
            chosen="ours-pausing"
          />
        </section>
      )}
      {result.plots.map(({ title, about, svg }) => (
        <figure key={title} className="plot">
          <figcaption>
            <h2>{title}</h2>
            <p className="quiet">{about}</p>
          </figcaption>
          <div className="plot-box" role="region" aria-label={title} tabIndex={0}>
            <img src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`} alt={`${title}. ${about}`} />
          </div>
        </figure>
      ))}
    </>
  );
}
