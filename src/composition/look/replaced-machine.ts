import { describe } from "../../errors.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { RunRecord } from "../../model/runs/run-record.ts";
import type { MachineStatus } from "../status/machine-status.ts";
import type { Resource } from "../types.ts";

/** Whether another machine of a run is planned, or is reported by its conditions: at its start and its end, after an eviction, and after a pause that deletes it. */
export const reportsMachine = ({ plan, end, wasReady, evictions }: RunRecord): boolean =>
  end !== null || !wasReady || evictions !== undefined || plan.recreates === true;

/**
 * The machine for the object's status. Says with an Event that its operator made another one in the place of one that is gone: what ran
 * on that one does not run on it. Not of a machine whose run reports it.
 */
export function noteReplaced(
  context: Pick<CompositionContext, "looks" | "record">,
  composition: Resource,
  { machine, isReported }: { machine: MachineStatus | null; isReported: boolean },
): (MachineStatus & { previousId: string | null }) | null {
  const { uid = "" } = composition.metadata;
  if (machine === null) return null;
  if (isReported) context.looks.forgetMachine(uid);
  if (isReported || machine.id === null) return { ...machine, previousId: null };
  const { previousId, isNews } = context.looks.seeMachine(uid, machine.id);
  if (isNews) {
    const { message, remedy } = describe("REL_MACHINE_REPLACED", { before: previousId ?? "", now: machine.id });
    context.record(composition, {
      ...{ type: "Warning", reason: "MachineReplaced" },
      message: `${message}; ${remedy} [REL_MACHINE_REPLACED]`,
    });
  }
  return { ...machine, previousId };
}
