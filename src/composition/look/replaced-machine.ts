import { describe } from "../../errors.ts";
import type { CompositionContext } from "../context.ts";
import { valueAt } from "../release/read-awaits.ts";
import { idIn, type MachineStatus } from "../status/machine-status.ts";
import type { Resource } from "../types.ts";

/**
 * The id of the machine in whose place its operator made the one that is there now, by the object's own status; null where it is the
 * same, or one of them is not known. Only of an object without a run: what happens to the machine of a run is told by the run. Pure.
 */
function replacedMachine(composition: Resource, machine: MachineStatus | null): string | null {
  const before = idIn(valueAt(composition, "status.machine.id"));
  const now = machine?.id ?? null;
  return before === null || now === null || before === now ? null : before;
}

/** The machine for the object's status. Says with an Event that another one took its place: what ran on that one does not run on it. */
export function noteReplaced(
  context: CompositionContext,
  composition: Resource,
  { machine, hasRun }: { machine: MachineStatus | null; hasRun: boolean },
): (MachineStatus & { previousId?: string }) | null {
  const before = hasRun ? null : replacedMachine(composition, machine);
  if (before === null || machine === null) return machine;
  const { message, remedy } = describe("REL_MACHINE_REPLACED", { before, now: machine.id ?? "" });
  context.record(composition, {
    ...{ type: "Warning", reason: "MachineReplaced" },
    message: `${message}; ${remedy} [REL_MACHINE_REPLACED]`,
  });
  return { ...machine, previousId: before };
}
