import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import { machineNow, type SeenMachine } from "../machine/machine-now.ts";
import { isMachineOn } from "../state/run-account.ts";
import type { FollowedRun } from "./follow-run.ts";
import { noteReady } from "./note-ready.ts";
import { noteRefusal } from "./note-refusal.ts";

/** Whether the machine is off after a planned pause: nothing starts it while its user pauses the object, unless a user does it by hand. */
const isOff = ({ record }: FollowedRun, { live }: SeenMachine): boolean =>
  !isMachineOn(record) &&
  record.refused !== true &&
  record.evictions?.waiting !== true &&
  (machineNow(live) ?? "off") === "off";

/**
 * Notes what becomes of the machine of a run while its user pauses the object: its operator may still create it, or start it again after an eviction.
 * Returns whether that changes when the run is over.
 */
export async function noteHeld(
  context: CompositionContext,
  object: Resource,
  run: FollowedRun,
  seen: SeenMachine,
): Promise<boolean> {
  if (isOff(run, seen)) return false;
  const hasBegun = await noteRefusal(context, object, run, seen);
  return (await noteReady(context, object, run, seen)) || hasBegun;
}
