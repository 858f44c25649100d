import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { Resource } from "../../types.ts";
import { isMade } from "../machine/machine-now.ts";
import { machineOver, machineRuns } from "../machine/run-sign.ts";
import { isMissing } from "../state/next-run-step.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { LABEL } from "../../keys.ts";

/**
 * Since when the machine of a run runs if another run begins on it at `now`: since its first run, so that another run moves no
 * limit. Only a machine that `whenDone: stop` has stopped starts again.
 */
export function firstStart(record: RunRecord, live: readonly Resource[], now: number): number {
  const isOver = isMissing(record) || live.some((resource) => machineOver(resource) !== null);
  const isOff = record.plan.whenDone === "stop" && isOver;
  return isOff ? now : (record.firstStartedAt ?? record.startedAt);
}

/** Whether the machine of a run that is over is still to be stopped: another run waits for that, since a machine that works on keeps its limit. One that was never made is not. */
export const isStopping = ({ plan }: RunRecord, live: readonly Resource[]): boolean =>
  plan.whenDone === "stop" && live.some((one) => machineRuns(one) !== null && isMade(one) && machineOver(one) === null);

/**
 * The runs of objects that are gone and had the same name, whose release this adopted object has by its label: its machine runs
 * since they started. Only Landfall's own records say so. Throws the API server's errors.
 */
export async function takenOver(
  { runs, records }: Pick<CompositionContext, "runs" | "records">,
  { kind, metadata: { namespace = "", name = "", uid = "", labels = {} } }: Resource,
): Promise<RunRecord[]> {
  const namesakes = runs
    .list()
    .filter((run) => run.uid !== uid && run.kind === kind && run.namespace === namespace && run.name === name);
  const releases = await Promise.all(namesakes.map((run) => records.find(namespace, run.uid)));
  return namesakes.filter((_, index) => releases[index] === labels[LABEL.releaseName]);
}
