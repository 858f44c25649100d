import { conditionsOf } from "../../../model/kubernetes.ts";
import type { RunPlan } from "../../../model/runs/run-record.ts";
import { formatTime } from "../../../model/time.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";

const reasonBefore = (object: Resource): string =>
  conditionsOf(object).find(({ type }) => type === "Running")?.reason ?? "";

const pauseText = ({ recreates }: RunPlan, until: number): string =>
  recreates === true
    ? `its machine is deleted until ${formatTime(until)}, as decided; its data disks stay and are paid for`
    : `stopped until ${formatTime(until)}, as decided; its disks stay and are paid for`;

/** Says once that a machine is on that should be off in a pause. */
function tellFailed(context: Pick<CompositionContext, "record">, object: Resource, { step }: FollowedRun): void {
  if (step.do !== "pause" || step.stillOn === undefined || reasonBefore(object) === "PauseFailed") return;
  const message = `its machine is still ${step.stillOn} at its provider, and is paid for: stop it there`;
  context.record(object, { type: "Warning", reason: "PauseFailed", message });
}

/** Says once that a run was paused, once that its machine was not stopped, and once that it was resumed. */
export function tellPause(
  context: Pick<CompositionContext, "record">,
  object: Resource,
  run: FollowedRun | null,
): void {
  if (run === null) return;
  const { pausedUntil } = run.step;
  const before = ["Paused", "PauseFailed"].includes(reasonBefore(object));
  tellFailed(context, object, run);
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
