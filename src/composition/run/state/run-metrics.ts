import { Counter, Gauge, Registry } from "prom-client";
import { KINDS } from "../../../model/names.ts";
import { bootTimeOf, type ObservedBoots } from "../../../model/places/boot-times.ts";
import { PROVIDERS } from "../../../model/workload.ts";
import type { RunEnd, RunRecord } from "../../../model/runs/run-record.ts";
import { isOnNow } from "./run-account.ts";
import { nextRunStep } from "./next-run-step.ts";

/** The data of the gauges. */
export interface KnownRuns {
  list: () => RunRecord[];
  /** How long boots took. */
  boots: () => ObservedBoots;
  nowSeconds: () => number | null;
  /** The controller's own clock, in seconds since 1970; omitted where it is not shown. */
  ownSeconds?: () => number;
}

export interface RunMetrics {
  /** A run was found to be over. */
  ended(end: RunEnd): void;
  /** A spot machine was evicted from its run. */
  evicted(provider: string): void;
  /** A run got another zone, size or place, because its provider had no machine. */
  fellBack(to: "zone" | "size" | "place"): void;
  /** The resources of a run are gone. */
  removed(): void;
  /** A run did not begin, because the clocks differ. */
  notBegun(): void;
  /** The source of the runs and the time that the gauges show; only the leader has them. */
  observe(known: KnownRuns): void;
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

/** The boot times that admission counts, of every provider and kind. */
function showBoots(registers: Registry[], observed: () => ObservedBoots): void {
  new Gauge({
    ...{ name: "landfall_boot_seconds", labelNames: ["provider", "kind", "source"], registers },
    help: "Time from a start until it is ready, as admission counts it: observed (median), or from the catalog.",
    collect() {
      this.reset();
      for (const provider of PROVIDERS)
        for (const kind of KINDS) {
          const { seconds, source } = bootTimeOf(kind, provider, observed());
          this.set({ provider, kind, source }, seconds);
        }
    },
  });
}

/** The metrics of runs, in a registry of their own. */
export function countRuns(): RunMetrics {
  const registry = new Registry();
  const registers = [registry];
  let known: KnownRuns = { list: () => [], boots: () => ({}), nowSeconds: () => null };
  const ends = new Counter({
    ...{ name: "landfall_runs_ended_total", help: "Runs that ended, by who said so and by outcome." },
    ...{ labelNames: ["by", "outcome"], registers },
  });
  const deleted = new Counter({
    ...{ name: "landfall_runs_deleted_total", help: "Runs whose resources were deleted after their end.", registers },
  });
  const refused = new Counter({
    ...{ name: "landfall_run_starts_refused_total", registers },
    help: "Attempts to begin a run while the clocks of the API server and of the controller differed by minutes.",
  });
  const evictions = new Counter({
    ...{ name: "landfall_runs_evicted_total", help: "Evictions of spot machines from runs that were not over." },
    ...{ labelNames: ["provider"], registers },
  });
  const fallbacks = new Counter({
    ...{ name: "landfall_run_fallbacks_total", labelNames: ["to"], registers },
    help: "Runs that got another zone, size or place, because their provider had no machine for them.",
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
      const now = known.nowSeconds();
      if (now !== null) for (const record of known.list()) this.inc({ state: stateOf(record, now) });
    },
  });
  new Gauge({
    name: "landfall_runs_overdue_usd_per_hour",
    help: "List price per hour of machines that are still on after the end of their runs.",
    registers,
    collect() {
      const now = known.nowSeconds();
      const overdue = now === null ? [] : known.list().filter((record) => stateOf(record, now) === "overdue");
      this.set(overdue.reduce((sum, record) => sum + (isOnNow(record) ? (record.pricePerHour ?? 0) : 0), 0));
    },
  });
  new Gauge({
    ...{ name: "landfall_clock_difference_seconds", registers },
    help: "The API server's clock minus the controller's. No run begins while they are minutes apart.",
    collect() {
      this.reset();
      const [now, own] = [known.nowSeconds(), known.ownSeconds?.()];
      if (now !== null && own !== undefined) this.set(now - own);
    },
  });
  showBoots(registers, () => known.boots());
  return {
    ended: ({ by, outcome }) => {
      ends.inc({ by, outcome });
    },
    evicted: (provider) => {
      evictions.inc({ provider });
    },
    fellBack: (to) => {
      fallbacks.inc({ to });
    },
    removed: () => {
      deleted.inc();
    },
    notBegun: () => {
      refused.inc();
    },
    observe: (given) => {
      known = given;
    },
    registry,
  };
}
