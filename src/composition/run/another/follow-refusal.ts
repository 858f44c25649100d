import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import type { MachineStatus } from "../../status/machine-status.ts";
import type { ConditionInput } from "../../types.ts";
import type { FollowedRun } from "../follow/follow-run.ts";
import { machineNow } from "../machine/machine-now.ts";
import { noteRefusal } from "../follow/note-refusal.ts";
import { liveResources } from "../machine/run-sign.ts";
import { askAnother } from "./ask-another.ts";

/** Notes whether the provider has a machine for a run, and asks for another one if it is not on. Returns whether the run begins only now. */
export async function followRefusal(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  { ready, machine }: { ready: ConditionInput; machine: MachineStatus | null },
): Promise<boolean> {
  const wanted = { ready, hasMachine: machine !== null && machine.id !== null };
  const hasBegun = await noteRefusal(context, composition.object, run, wanted);
  const isOn = run !== null && machineNow(liveResources(context, run.record.uid)) === "on";
  if (!isOn) await askAnother(context, composition, run, wanted);
  return hasBegun;
}
