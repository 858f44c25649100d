import { count, figure, list, type Of, oneOf, record, text } from "./schema.ts";

/** A file of a folder that the console was started from. `holds`: `unknown` for a file that it does not read. */
const RECORDED_FILE = record({
  file: text,
  holds: oneOf(["decisions", "audit", "simulation", "unknown"]),
  /** Decisions, objects of an audit, or jobs of a simulation. */
  entries: count,
  /** Lines without a decision, or why the file is not read. */
  note: text,
});
export type RecordedFile = Of<typeof RECORDED_FILE>;

/** A result of `landfall simulate --json`. */
const RECORDED_SIMULATION = record({
  file: text,
  jobs: count,
  policies: list(
    record({
      name: text,
      kgCO2: figure,
      usd: figure,
      meanDelayHours: figure,
      meanLatencyMs: figure,
      deadlineMisses: count,
      violations: count,
    }),
  ),
});
export type RecordedSimulation = Of<typeof RECORDED_SIMULATION>;

/** The content of the folder of `landfall console --from`, which is shown instead of a cluster. */
export const RECORDED = record({
  folder: text,
  files: list(RECORDED_FILE),
  simulations: list(RECORDED_SIMULATION),
});
export type Recorded = Of<typeof RECORDED>;
