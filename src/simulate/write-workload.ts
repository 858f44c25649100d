import { HOUR_SECONDS, formatTime } from "../model/time.ts";
import type { Job } from "./job.ts";

/** The columns of a workload file, described in docs/guides/simulate.md. */
export const COLUMNS = [
  "id",
  "arrival",
  "cpu",
  "memory",
  "durationHours",
  "deadline",
  "maxLatency",
  "origin",
  "dataResidency",
] as const;
export type Column = (typeof COLUMNS)[number];

/** A spreadsheet runs a cell that begins with one of these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Makes the rest of a cell text. */
export const TEXT_MARK = "'";

/** A text as one cell of CSV: quoted where it needs to be, and no formula. */
function csvCell(text: string): string {
  const marked = FORMULA.test(text) || text.startsWith(TEXT_MARK) ? TEXT_MARK + text : text;
  return /[",\r\n]/.test(marked) ? `"${marked.replaceAll('"', '""')}"` : marked;
}

/** The jobs as CSV, in the format that `readWorkload` reads. */
export function writeWorkload(jobs: readonly Job[]): string {
  const lines = jobs.map((job) =>
    [
      csvCell(job.id),
      formatTime(job.arrival),
      job.cpu,
      job.memory,
      job.durationSeconds / HOUR_SECONDS,
      formatTime(job.deadline),
      job.maxLatencyMs ?? "",
      csvCell(job.origin),
      csvCell(job.dataResidency.join(" ")),
    ].join(","),
  );
  return `${[COLUMNS.join(","), ...lines].join("\n")}\n`;
}
