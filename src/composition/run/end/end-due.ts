import type { Logger } from "pino";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import { repeat } from "../../repeat.ts";
import { goneKey, isGoneDue } from "./gone-run.ts";
import { nextRunStep } from "../state/next-run-step.ts";
import type { Runs } from "../../record/open-runs.ts";
import { runTime } from "../state/run-time.ts";

export interface EndOptions {
  context: { runs: Pick<Runs, "list"> } & Pick<CompositionContext, "serverSeconds" | "timeLapse">;
  list: () => Composition[];
  /** Whether `list` has every object: then a run without one is that of an object that is gone. */
  isCurrent: () => boolean;
  reconcileNow: (key: string) => void;
  log: Logger;
  everyMs?: number;
}

/** Ms before a run whose end is due is reconciled again without an event. */
const AGAIN_MS = 5000;

function isObjectDue(record: RunRecord, now: number): boolean {
  const step = nextRunStep(record.plan, record, null, now);
  return step.found !== null || step.do === "remove";
}

/** Whether something is to be ended now. A record that cannot be followed holds up no other: its reconcile tells why. */
function isDue(record: RunRecord, isGone: boolean, timeOf: (record: RunRecord) => number): boolean {
  try {
    return (isGone ? isGoneDue : isObjectDue)(record, timeOf(record));
  } catch {
    return true;
  }
}

/**
 * Has every run reconciled whose end is due, each second. An object that cannot be installed or upgraded is tried again ever more
 * rarely, but its end has to come in time; so has that of one that is gone. Only the leader runs this. Returns a function that stops it.
 */
export function endDue({
  context,
  list,
  isCurrent,
  reconcileNow,
  log,
  everyMs = 1000,
}: EndOptions): () => Promise<void> {
  const lastMs = new Map<string, number>();

  /** The keys of what is due: of objects, and of runs whose object is gone. */
  function dueKeys(now: number): Set<string> {
    const keys = new Map(list().map(({ key, object }) => [object.metadata.uid ?? "", key]));
    const isComplete = isCurrent();
    const timeOf = (record: RunRecord): number => runTime(record, now, context.timeLapse);
    const isGone = (record: RunRecord): boolean => !keys.has(record.uid);
    const due = context.runs.list().filter((record) => {
      return (isComplete || !isGone(record)) && isDue(record, isGone(record), timeOf);
    });
    return new Set(due.map((record) => keys.get(record.uid) ?? goneKey(record)));
  }

  function look(): void {
    const now = context.serverSeconds();
    if (now === null || context.runs.list().length === 0) return;
    const due = dueKeys(now);
    for (const key of lastMs.keys()) if (!due.has(key)) lastMs.delete(key);
    for (const key of due) {
      if (performance.now() - (lastMs.get(key) ?? -Infinity) < AGAIN_MS) continue;
      lastMs.set(key, performance.now());
      reconcileNow(key);
    }
  }

  return repeat(look, { everyMs, log, failure: "ends that are due could not be looked for" });
}
