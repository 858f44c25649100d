import { conditionsOf } from "../../model/conditions.ts";
import { formatTime } from "../../model/time.ts";
import type { CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";
import type { FollowedRun } from "./follow-run.ts";

const isPausedBefore = (object: Resource): boolean =>
  conditionsOf(object).some(({ type, reason }) => type === "Running" && reason === "Paused");

/** Says once that a run was paused, and once that it was resumed. */
export function tellPause(
  context: Pick<CompositionContext, "record">,
  object: Resource,
  run: FollowedRun | null,
): void {
  if (run === null) return;
  const { pausedUntil } = run.step;
  const before = isPausedBefore(object);
  if (pausedUntil !== undefined && !before) {
    const message = `stopped until ${formatTime(pausedUntil)}, as decided; its disks stay and are paid for`;
    context.record(object, { type: "Normal", reason: "Paused", message });
  }
  if (before && run.step.do === "run") {
    context.record(object, {
      type: "Normal",
      reason: "Resumed",
      message: "the machine is started and the run continues",
    });
  }
}
