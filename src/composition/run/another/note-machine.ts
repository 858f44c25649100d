import type { Composition, CompositionContext } from "../../context/composition-context.ts";
import type { FollowedRun } from "../follow/follow-run.ts";
import { noteReady } from "../follow/note-ready.ts";
import { noteRefusal } from "../follow/note-refusal.ts";
import { noteUse } from "../follow/note-use.ts";
import { isLeftThere, machineNow, type SeenMachine } from "../machine/machine-now.ts";
import { askAnother } from "./ask-another.ts";

/**
 * Notes what is seen of the machine of a run after its release was installed, and asks for another one if its provider has none. Returns whether that
 * changes when the run is over.
 */
export async function noteMachine(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  seen: SeenMachine,
): Promise<boolean> {
  const { object } = composition;
  const hasBegun = await noteRefusal(context, object, run, seen);
  const isThere = machineNow(seen.live) === "on" || isLeftThere(seen.live, run?.record.firstStartedAt !== undefined);
  if (!isThere) await askAnother(context, composition, run, seen);
  const isReadyNow = await noteReady(context, object, run, seen);
  await noteUse(context, run, seen);
  return isReadyNow || hasBegun;
}
