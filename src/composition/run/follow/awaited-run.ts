import { conditionsOf } from "../../../model/kubernetes.ts";
import { isAnotherRun, runOf } from "../../../model/runs/run-of.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";
import { isRun, planOf } from "../state/run-plan.ts";
import { condition } from "../state/running-condition.ts";
import { runConditions } from "./run-status.ts";

const OF_LAST: readonly string[] = ["Running", "Completed", "Failed"];

const notBegun = ({ type }: Pick<ConditionInput, "type">, asked: string): ConditionInput =>
  condition(
    type,
    false,
    "NotBegun",
    asked === "" ? "it has not begun" : `run ${asked} was asked for, and has not begun`,
  );

/**
 * The conditions of a run, for an object that asks for another one which has not begun: it waits for its start, or for the machine to be stopped.
 * The end of the last run is not that of this one.
 */
export function withAwaited(
  object: Resource,
  { run, end }: RunRecord,
  conditions: readonly ConditionInput[],
): ConditionInput[] {
  const asked = runOf(object);
  if (end === null || !isAnotherRun(asked, run)) return [...conditions];
  return conditions.map((one) => (OF_LAST.includes(one.type) ? notBegun(one, asked) : one));
}

const OF_RUN: readonly string[] = [...OF_LAST, "Overdue"];

/**
 * The conditions that an earlier run left on an object without one: its end was removed, or its next run waits for its start after nothing was left of
 * the last one.
 */
function withoutRun(object: Resource): ConditionInput[] {
  const isAwaited = isRun(planOf(object.spec ?? {}, 0));
  return conditionsOf(object)
    .filter(({ type }) => OF_RUN.includes(type))
    .map(({ type }) => {
      if (!isAwaited) return condition(type, false, "NoRun", "nothing is meant to end it");
      return OF_LAST.includes(type) ? notBegun({ type }, runOf(object)) : condition(type, false, "InTime", "");
    });
}

/** The conditions of the run of an object; without one, those that say so of an earlier one. */
export const conditionsOfRun = (object: Resource, run: FollowedRun | null): ConditionInput[] =>
  run === null ? withoutRun(object) : withAwaited(object, run.record, runConditions(run.record, run.step, run.now));
