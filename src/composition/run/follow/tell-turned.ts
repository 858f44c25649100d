import { conditionsOf } from "../../../model/kubernetes.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import type { ConditionInput, Resource } from "../../types.ts";

type Said = Pick<ConditionInput, "type" | "status" | "reason">;

/** The warnings that a user gets once, by the reason of the Event: the condition that says it. */
const TURNS: readonly (readonly [string, (said: Said) => boolean])[] = [
  ["Overdue", ({ type, status }) => type === "Overdue" && status === "True"],
  ["NoMachine", ({ type, reason }) => type === "Running" && reason === "NoMachine"],
];

/** Whether a run is over: an Event of its own says so, and why. */
const isOver = (conditions: readonly Said[]): boolean =>
  conditions.some(({ type, status }) => (type === "Completed" || type === "Failed") && status === "True");

/**
 * Warns once that a run is overdue, and once that its machine is missing. The status of the object has the conditions
 * of the last report, so that another controller does not say it again.
 */
export function tellTurned(
  { record }: Pick<CompositionContext, "record">,
  object: Resource,
  conditions: readonly ConditionInput[],
): void {
  for (const [reason, says] of TURNS) {
    const said = conditions.find(says);
    if (said === undefined || conditionsOf(object).some(says)) continue;
    if (reason === "NoMachine" && isOver(conditions)) continue;
    record(object, { type: "Warning", reason, message: said.message });
  }
}
