import type { CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import { isMachineOn } from "../state/run-account.ts";
import type { FollowedRun } from "./follow-run.ts";
import { noteReady } from "./note-ready.ts";
import { noteRefusal } from "./note-refusal.ts";

/** Whether the machine is off after a planned pause: nothing starts it while its user pauses the object. */
const isOff = ({ record }: FollowedRun): boolean =>
  !isMachineOn(record) && record.refused !== true && record.evictions?.waiting !== true;

/**
 * Notes what becomes of the machine of a run while its user pauses the object: its operator may still create it, or start it again after an eviction.
 * Returns whether that changes when the run is over.
 */
export async function noteHeld(
  context: CompositionContext,
  object: Resource,
  run: FollowedRun,
  wanted: { ready: ConditionInput; hasMachine: boolean },
): Promise<boolean> {
  if (isOff(run)) return false;
  const hasBegun = await noteRefusal(context, object, run, wanted);
  return (await noteReady(context, object, run, wanted.ready)) || hasBegun;
}
