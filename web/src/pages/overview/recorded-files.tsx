import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { RecordedFile, RecordedSimulation } from "../../../../src/console/contract/recorded.ts";
import { clusterQuery } from "../../api/queries.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { digits } from "../../ui/format.ts";

const WORDS: Readonly<Record<RecordedFile["holds"], string>> = {
  decisions: "decisions",
  audit: "an audit",
  simulation: "a simulation",
  unknown: "not read",
};

const FILES: readonly Column<RecordedFile>[] = [
  { id: "file", header: "File", cell: ({ file }) => file },
  { id: "holds", header: "Holds", cell: ({ holds }) => WORDS[holds] },
  { id: "entries", header: "Entries", figures: true, cell: ({ entries }) => entries },
  { id: "note", header: "Note", cell: ({ note }) => note },
];

type Policy = RecordedSimulation["policies"][number];

const POLICIES: readonly Column<Policy>[] = [
  { id: "name", header: "Policy", cell: ({ name }) => name },
  { id: "carbon", header: "Carbon, kg CO₂e", figures: true, cell: ({ kgCO2 }) => digits(kgCO2) },
  { id: "cost", header: "Price, USD", figures: true, cell: ({ usd }) => digits(usd) },
  { id: "delay", header: "Mean delay, h", figures: true, cell: ({ meanDelayHours }) => digits(meanDelayHours) },
  { id: "latency", header: "Mean latency, ms", figures: true, cell: ({ meanLatencyMs }) => digits(meanLatencyMs) },
  { id: "misses", header: "Missed deadlines", figures: true, cell: ({ deadlineMisses }) => deadlineMisses },
  { id: "violations", header: "Violations", figures: true, cell: ({ violations }) => violations },
];

/** The parts of the pages that stay empty where files are shown instead of a cluster. */
const missing = (files: readonly RecordedFile[]): string[] => {
  const has = (holds: RecordedFile["holds"]): boolean => files.some((file) => file.holds === holds);
  return [
    ...(has("decisions") ? [] : ["No file has decisions, so there are no objects."]),
    ...(has("audit") ? [] : ["No file is an audit, so it is not known what the policies in force would deny."]),
    "States are those that the decisions plan: conditions, resources and signatures are not recorded.",
  ];
};

/** The files that are shown instead of a cluster, with the results of simulations; nothing for a cluster. */
export function RecordedFiles(): ReactElement | null {
  const { data } = useQuery(clusterQuery());
  if (data?.recorded == null) return null;
  const { folder, files, simulations } = data.recorded;
  return (
    <>
      <section>
        <h2>Recorded files</h2>
        <p className="quiet">
          Read-only, from {folder}. {missing(files).join(" ")}
        </p>
        <DataTable caption="Recorded files" columns={FILES} rows={files} keyOf={({ file }) => file} />
      </section>
      {simulations.map(({ file, jobs, policies }) => (
        <section key={file}>
          <h2>
            Simulation {file}, {jobs} jobs
          </h2>
          <DataTable caption={`Simulation ${file}`} columns={POLICIES} rows={policies} keyOf={({ name }) => name} />
        </section>
      ))}
    </>
  );
}
