import { conditionsOf } from "../../../model/kubernetes.ts";
import type { RunPlan } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";

const isPausedBefore = (object: Resource): boolean =>
  conditionsOf(object).some(({ type, reason }) => type === "Running" && reason === "Paused");

const pauseText = ({ recreates }: RunPlan, until: number): string =>
  recreates === true
    ? `its machine is deleted until ${formatTime(until)}, as decided; its data disks stay and are paid for`
    : `stopped until ${formatTime(until)}, as decided; its disks stay and are paid for`;

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
    const message = pauseText(run.record.plan, pausedUntil);
    context.record(object, { type: "Normal", reason: "Paused", message });
  }
  if (before && run.step.do === "run") {
    context.record(object, {
      type: "Normal",
      reason: "Resumed",
      message: `${run.record.plan.recreates === true ? "another machine is created" : "the machine is started"} and the run continues`,
    });
  }
}
