import type { RunRecord } from "../../model/run-record.ts";
import type { Composition, CompositionContext } from "../context.ts";
import { nextRunStep } from "./next-run-step.ts";
import type { Runs } from "./open-runs.ts";

export interface EndOptions {
  context: { runs: Pick<Runs, "list">; serverSeconds: CompositionContext["serverSeconds"] };
  list: () => Composition[];
  reconcileNow: (key: string) => void;
  everyMs?: number;
}

/** Ms before a run whose end is due is reconciled again without an event. */
const AGAIN_MS = 5000;

/** Whether something is to be ended now. */
function isDue(record: RunRecord, now: number): boolean {
  const step = nextRunStep(record.plan, record, null, now);
  return step.found !== null || step.do === "remove";
}

/**
 * Has every run reconciled whose end is due, each second. An object that cannot be installed or upgraded is tried again ever more
 * rarely, but its end has to come in time. Only the leader runs this. Returns a function that stops it.
 */
export function endDue({ context, list, reconcileNow, everyMs = 1000 }: EndOptions): () => Promise<void> {
  const lastMs = new Map<string, number>();

  function look(): void {
    const now = context.serverSeconds();
    if (now === null) return;
    const due = new Set(context.runs.list().flatMap((record) => (isDue(record, now) ? [record.uid] : [])));
    for (const uid of lastMs.keys()) if (!due.has(uid)) lastMs.delete(uid);
    if (due.size === 0) return;
    for (const { key, object } of list()) {
      const { uid = "" } = object.metadata;
      if (!due.has(uid) || performance.now() - (lastMs.get(uid) ?? -Infinity) < AGAIN_MS) continue;
      lastMs.set(uid, performance.now());
      reconcileNow(key);
    }
  }

  const timer = setInterval(look, everyMs);
  return () => {
    clearInterval(timer);
    return Promise.resolve();
  };
}
