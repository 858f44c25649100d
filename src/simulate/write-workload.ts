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

/** The jobs as CSV, in the format that `readWorkload` reads. */
export function writeWorkload(jobs: readonly Job[]): string {
  const lines = jobs.map((job) =>
    [
      job.id,
      formatTime(job.arrival),
      job.cpu,
      job.memory,
      job.durationSeconds / HOUR_SECONDS,
      formatTime(job.deadline),
      job.maxLatencyMs ?? "",
      job.origin,
      job.dataResidency.join(" "),
    ].join(","),
  );
  return `${[COLUMNS.join(","), ...lines].join("\n")}\n`;
}
