import { groupKindOf } from "../../model/kubernetes.ts";
import { describe } from "../../errors.ts";
import { type Observation, OBSERVATIONS } from "../../model/places/operations.ts";
import { durationText } from "../../model/time.ts";
import { valueAt } from "../managed/read-awaits.ts";
import type { Found } from "../status/retry-times.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { repairPolicy } from "../../model/runs/run-of.ts";
import type { ConditionInput, Resource } from "../types.ts";
import { machineOver } from "../run/machine/run-sign.ts";

export const observationOf = (found: Pick<Found, "apiVersion" | "kind">): Observation | undefined =>
  OBSERVATIONS.get(groupKindOf(found));

const machine = (status: ConditionInput["status"], reason: string, message: string): ConditionInput => ({
  ...{ type: "Machine", status, reason, message },
});

/** Seconds between two requests to look; `null` if no one asks its operator. */
export type LookEvery = (observation: Observation) => number | null;

/** How often the operators of an object's machines are made to look at them. Never if the object's policy forbids it. */
export const lookEveryOf =
  ({ lookSeconds }: Pick<CompositionContext, "lookSeconds">, composition: Resource): LookEvery =>
  ({ ask }) =>
    ask === null || lookSeconds === 0 || repairPolicy(composition) === "never"
      ? null
      : (lookSeconds ?? ask.everySeconds);

/** How old what the operator last saw may be. */
function ageOf(observation: Observation, lookEvery: LookEvery): string {
  const seconds = lookEvery(observation) ?? observation.seenAfterSeconds ?? 0;
  return `as its operator last saw it, at most about ${durationText(seconds)} ago`;
}

/**
 * The condition Machine: whether the machine of a release runs at its provider, as far as its operator can see it. Unknown until the
 * operator has reported a state. Null for a release without a machine, or whose machine has no resource yet. Pure.
 */
export function machineCondition(found: readonly Found[], lookEvery: LookEvery): ConditionInput | null {
  for (const one of found) {
    const observation = observationOf(one);
    if (observation === undefined || one.live === null) continue;
    if (observation.state === null) return machine("Unknown", "NotObservable", observation.stopped);
    if (typeof valueAt(one.live, `status.${observation.state}`) !== "string")
      return machine("Unknown", "NotReported", "its operator has not reported a state yet");
    const word = machineOver(one.live);
    if (word === null) return machine("True", "Running", ageOf(observation, lookEvery));
    const params = { kind: one.kind, name: one.name, state: word, detail: observation.stopped };
    const { message, remedy } = describe("REL_MACHINE_STOPPED", params);
    return machine("False", "Stopped", `${message}; ${remedy} [REL_MACHINE_STOPPED]`);
  }
  return null;
}
