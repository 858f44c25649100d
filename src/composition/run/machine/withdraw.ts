import { abilitiesOf } from "../../../model/places/operations.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import { pausedUntil } from "../../../model/runs/run-times.ts";
import { PROVIDERS } from "../../../model/workload.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { isGoing, isLeftThere, isMade } from "./machine-now.ts";
import { revisionsOf } from "./machines-of.ts";
import { hasNoId, isDeletedMachine, isMachine, machineOver } from "./run-sign.ts";
import { isMissing, type RunStep } from "../state/next-run-step.ts";

/** A run that is over: its object, its record, and the resources of its release. */
interface Ended {
  object: Resource;
  record: RunRecord;
  live: readonly Resource[];
}

/** The states of the revisions of its release; empty if nothing was ever installed for it. */
async function statesOf(context: Pick<CompositionContext, "records" | "releases">, run: RunRecord): Promise<string[]> {
  return context.releases.has(run.uid) ? ["deployed"] : (await revisionsOf(context, run)).map(({ status }) => status);
}

const canStop = ({ spec }: Resource): boolean =>
  PROVIDERS.some((one) => one === spec?.["provider"] && abilitiesOf("VmTemplate", one).operations.stop.can);

/** Whether a run never had a machine, and none of an earlier run either. */
const neverRan = ({ refused, firstStartedAt }: RunRecord): boolean => refused === true && firstStartedAt === undefined;

/** Whether the machine of a run that is over was never created, or was deleted by a pause: its resource would only create one. */
export const isUnmade = (record: RunRecord): boolean =>
  isMissing(record) && !record.plan.retains && (neverRan(record) || record.plan.recreates === true);

/** Whether a run ended in a pause that deletes its machine, and no machine is seen that stays: its use since then is perhaps not recorded. */
function endedWithout({ record: { plan, startedAt, end }, live }: Ended): boolean {
  if (end === null || plan.recreates !== true || live.some((one) => isMachine(one) && !isGoing(one))) return false;
  return pausedUntil(plan, startedAt, end.at) !== null;
}

/**
 * Whether a machine is there, with the disks of this run or of an earlier one: it is only off, or could not be changed. One that was refused at its first
 * start never ran, unless its operator calls it not ready by another error, and one that was evicted is created again, unless it is only off.
 */
function hasDisks({ record, live }: Ended): boolean {
  if (neverRan(record)) return isLeftThere(live, false);
  const isThere = (one: Resource): boolean => isMade(one) && !isGoing(one) && !isDeletedMachine(one);
  return live.some(
    (one) => isMachine(one) && isThere(one) && (machineOver(one) !== null || record.evictions?.waiting !== true),
  );
}

/** Whether the resource of a machine that is missing is removed, because its operator would create one: none was made, or it was deleted. */
const isOmitted = ({ object, record, live }: Ended): boolean =>
  !canStop(object) ||
  record.plan.recreates === true ||
  isUnmade(record) ||
  (!record.plan.retains && live.some(hasNoId));

/** Whether its machine is to be off, or nothing more is to be done about it. */
const isIdle = ({ removedAt }: RunRecord, step: RunStep): boolean =>
  step.do === "stop" || (step.do === "rest" && removedAt === null);

/** Whether a run is over without a machine that is on, and nothing else was decided for it than to keep that so. */
const isOverWithout = (ended: Ended, step: RunStep): boolean =>
  ended.object.kind === "VmTemplate" && (isMissing(ended.record) || endedWithout(ended)) && isIdle(ended.record, step);

/**
 * The step of a run that is over without a machine, so that none starts for it any more: nothing is installed for it, and what is installed no longer
 * asks for a machine. Any other step is returned as it is. Throws the API server's errors.
 */
export async function withdraw(
  context: Pick<CompositionContext, "records" | "releases">,
  ended: Ended,
  step: RunStep,
): Promise<{ step: RunStep; omitsMachine?: true }> {
  const { record, object } = ended;
  if (!isOverWithout(ended, step)) return { step };
  const stays = hasDisks(ended);
  // Nothing can be done about its power, and nothing is to be.
  if (stays && !canStop(object)) return { step };
  const states = await statesOf(context, record);
  if (!states.includes("deployed")) return { step: states.length === 0 ? { ...step, do: "rest" } : step };
  return { step: { ...step, do: "stop" }, ...(!stays && isOmitted(ended) ? { omitsMachine: true } : {}) };
}
