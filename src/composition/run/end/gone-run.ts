import type { RunRecord } from "../../../model/runs/run-record.ts";
import { nextRunStep, type RunStep } from "../state/next-run-step.ts";
import { signOf } from "../machine/run-sign.ts";

const NO_OBJECT = { apiVersion: "", kind: "", metadata: {} };

/** Whether a run with this plan is left to run whatever happens. */
export const endsNothing = ({ plan }: RunRecord): boolean =>
  plan.retains || (plan.whenDone === "keep" && plan.maxLifetime === null);

/** The next step of a run whose object is gone: only time and the report of its machine end it. */
export const goneStep = (run: RunRecord, now: number): RunStep =>
  nextRunStep(run.plan, run, signOf(NO_OBJECT, run, []), now);

/** Whether something is to be done about it now. */
export function isGoneDue(run: RunRecord, now: number): boolean {
  if (run.removedAt !== null || endsNothing(run)) return true;
  const { found, do: action } = goneStep(run, now);
  return found !== null || action === "remove" || action === "stop";
}

/** Instead of the plural name of a kind, which holds no tilde. */
const PREFIX = "~run";

/** The key in the queue of a run whose object is gone: its namespace stands where the keys of objects have it. */
export const goneKey = ({ namespace, uid }: Pick<RunRecord, "namespace" | "uid">): string =>
  `${PREFIX}/${namespace}/${uid}`;

/** The uid in such a key; null for the key of an object. */
export function goneUid(key: string): string | null {
  const [prefix, , uid = ""] = key.split("/");
  return prefix === PREFIX ? uid : null;
}
