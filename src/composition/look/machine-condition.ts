import { groupKindOf } from "../../model/kubernetes.ts";
import { describe } from "../../errors.ts";
import { type Observation, OBSERVATIONS } from "../../model/places/operations.ts";
import type { Found } from "../status/retry-times.ts";
import type { ConditionInput } from "../types.ts";
import { machineOver } from "../run/follow/run-sign.ts";

export const observationOf = (found: Pick<Found, "apiVersion" | "kind">): Observation | undefined =>
  OBSERVATIONS.get(groupKindOf(found));

const machine = (status: ConditionInput["status"], reason: string, message: string): ConditionInput => ({
  ...{ type: "Machine", status, reason, message },
});

/** How old what the operator last saw may be. */
const ageOf = ({ seenAfterSeconds, ask }: Observation): string => {
  const minutes = Math.round((ask?.everySeconds ?? seenAfterSeconds ?? 0) / 60);
  return `as its operator last saw it, at most about ${minutes} minutes ago`;
};

/**
 * The condition Machine: whether the machine of a release runs at its provider, as far as its operator can see it. Null for a
 * release without a machine, or one that is not there yet. Pure.
 */
export function machineCondition(found: readonly Found[]): ConditionInput | null {
  for (const one of found) {
    const observation = observationOf(one);
    if (observation === undefined || one.live === null) continue;
    if (observation.state === null) return machine("Unknown", "NotObservable", observation.stopped);
    const word = machineOver(one.live);
    if (word === null) return machine("True", "Running", ageOf(observation));
    const params = { kind: one.kind, name: one.name, state: word, detail: observation.stopped };
    const { message, remedy } = describe("REL_MACHINE_STOPPED", params);
    return machine("False", "Stopped", `${message}; ${remedy} [REL_MACHINE_STOPPED]`);
  }
  return null;
}
