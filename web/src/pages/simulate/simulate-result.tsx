import type { ReactElement } from "react";
import type { SimulationResult } from "../../../../src/console/contract/simulation.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Figure } from "../../ui/figures.tsx";

type Policy = SimulationResult["policies"][number];
type Point = SimulationResult["frontier"][number];

const percent = (share: number): string => (100 * share).toFixed(1);

function policyColumns({ policies, upperBound }: SimulationResult): Column<Policy>[] {
  const baseline = policies[0]?.kgCO2 ?? 0;
  const possible = baseline - upperBound.kgCO2;
  return [
    { id: "name", header: "Policy", cell: ({ name }) => <span className="nowrap">{name}</span> },
    { id: "kg", header: "Carbon, kg CO₂e", figures: true, cell: ({ kgCO2 }) => <Figure value={kgCO2} /> },
    {
      id: "saved",
      header: "Saved, %",
      figures: true,
      cell: ({ kgCO2 }) => <span>{baseline === 0 ? "–" : percent(1 - kgCO2 / baseline)}</span>,
    },
    {
      id: "share",
      header: "Of the possible, %",
      figures: true,
      cell: ({ kgCO2 }) => <span>{possible <= 0 ? "–" : percent((baseline - kgCO2) / possible)}</span>,
    },
    { id: "delay", header: "Delay, h", figures: true, cell: ({ meanDelayHours }) => <Figure value={meanDelayHours} /> },
    {
      id: "latency",
      header: "Latency, ms",
      figures: true,
      cell: ({ meanLatencyMs }) => <Figure value={meanLatencyMs} />,
    },
    { id: "cost", header: "Price, USD", figures: true, cell: ({ cost }) => <Figure value={cost} /> },
    { id: "violations", header: "Violations", figures: true, cell: ({ violations }) => <span>{violations}</span> },
  ];
}

const FRONTIER: Column<Point>[] = [
  {
    id: "cost",
    header: "Cost of a day of waiting, %",
    figures: true,
    cell: ({ waitingCostPercent }) => <span>{waitingCostPercent}</span>,
  },
  { id: "ours", header: "Landfall, kg", figures: true, cell: ({ ours }) => <Figure value={ours.kgCO2} /> },
  { id: "delay", header: "Delay, h", figures: true, cell: ({ ours }) => <Figure value={ours.meanDelayHours} /> },
  {
    id: "best",
    header: "Perfect knowledge, kg",
    figures: true,
    cell: ({ clairvoyant }) => <Figure value={clairvoyant.kgCO2} />,
  },
  {
    id: "least",
    header: "Delay, h",
    figures: true,
    cell: ({ clairvoyant }) => <Figure value={clairvoyant.meanDelayHours} />,
  },
];

/** The figures of a simulation, its frontier and its plots. */
export function SimulateResult({ result }: { result: SimulationResult }): ReactElement {
  return (
    <>
      <section>
        <h2>{result.jobs} jobs</h2>
        <DataTable
          caption="Policies of the simulation"
          columns={policyColumns(result)}
          rows={result.policies}
          keyOf={({ name }) => name}
          chosen="ours"
        />
      </section>
      {result.frontier.length === 0 ? null : (
        <section>
          <h2>Frontier</h2>
          <DataTable
            caption="Saving against delay"
            columns={FRONTIER}
            rows={result.frontier}
            keyOf={({ waitingCostPercent }) => String(waitingCostPercent)}
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
