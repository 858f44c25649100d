import { Counter, Gauge, Registry } from "prom-client";
import type { RunEnd, RunRecord } from "../../model/run-record.ts";
import { nextRunStep } from "./next-run-step.ts";

export interface RunMetrics {
  /** A run was found to be over. */
  ended(end: RunEnd): void;
  /** The resources of a run are gone. */
  removed(): void;
  /** Where the runs and the time come from that the gauges show; only the leader has them. */
  observe(list: () => RunRecord[], nowSeconds: () => number | null): void;
  registry: Registry;
}

/** Seconds after which resources that are to be deleted are late: providers take minutes for it. */
const LATE_SECONDS = 900;

/** The state of a run, for the gauge. */
function stateOf(record: RunRecord, now: number): string {
  if (record.removedAt !== null) return "deleted";
  const { overdueSince, deletesAt } = nextRunStep(record.plan, record, null, now);
  if (overdueSince !== null) return "overdue";
  if (deletesAt !== null && deletesAt + LATE_SECONDS < now) return "late";
  return record.end === null ? "running" : "over";
}

/** The metrics of runs, in a registry of their own. */
export function countRuns(): RunMetrics {
  const registry = new Registry();
  const registers = [registry];
  let [list, clock]: [() => RunRecord[], () => number | null] = [() => [], () => null];
  const ends = new Counter({
    ...{ name: "landfall_runs_ended_total", help: "Runs that ended, by who said so and by outcome." },
    ...{ labelNames: ["by", "outcome"], registers },
  });
  const deleted = new Counter({
    ...{ name: "landfall_runs_deleted_total", help: "Runs whose resources were deleted after their end.", registers },
  });
  new Gauge({
    ...{
      name: "landfall_runs",
      help: "Runs by state: running, over, overdue, late (its resources should be gone), deleted.",
      labelNames: ["state"],
      registers,
    },
    collect() {
      this.reset();
      const now = clock();
      if (now !== null) for (const record of list()) this.inc({ state: stateOf(record, now) });
    },
  });
  new Gauge({
    name: "landfall_runs_overdue_usd_per_hour",
    help: "List price per hour of what is still there after the end of its run.",
    registers,
    collect() {
      const now = clock();
      const overdue = now === null ? [] : list().filter((record) => stateOf(record, now) === "overdue");
      this.set(overdue.reduce((sum, { pricePerHour }) => sum + (pricePerHour ?? 0), 0));
    },
  });
  return {
    ended: ({ by, outcome }) => {
      ends.inc({ by, outcome });
    },
    removed: () => {
      deleted.inc();
    },
    observe: (records, nowSeconds) => {
      [list, clock] = [records, nowSeconds];
    },
    registry,
  };
}
