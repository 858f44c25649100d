import { describe } from "../../errors.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { MachineStatus } from "../status/machine-status.ts";
import type { Resource } from "../types.ts";

/**
 * The machine for the object's status. Says with an Event that its operator made another one in the place of one that is gone: what ran
 * on that one does not run on it. Only of an object without a run: what happens to the machine of a run is reported by the run.
 */
export function noteReplaced(
  context: Pick<CompositionContext, "looks" | "record">,
  composition: Resource,
  { machine, hasRun }: { machine: MachineStatus | null; hasRun: boolean },
): (MachineStatus & { previousId: string | null }) | null {
  const { uid = "" } = composition.metadata;
  if (machine === null) return null;
  if (hasRun) context.looks.forgetMachine(uid);
  if (hasRun || machine.id === null) return { ...machine, previousId: null };
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
