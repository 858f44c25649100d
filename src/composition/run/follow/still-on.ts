import { conditionsOf } from "../../../model/kubernetes.ts";
import { parseTime } from "../../../model/time.ts";
import type { Resource } from "../../types.ts";
import type { FollowedRun } from "./follow-run.ts";
import { isGoing, isMade } from "../machine/machine-now.ts";
import { isMachine, machineOn, machineOver } from "../machine/run-sign.ts";

/** Seconds after which a machine that is to be off is reported if it is on: providers take a minute or two to stop one. */
const LATE_SECONDS = 600;

/** Whether the object has said for long enough that its machine is off, or says by now that it is not. */
function isLate(object: Resource, nowSeconds: number): boolean {
  const running = conditionsOf(object).find(({ type }) => type === "Running");
  if (running === undefined) return false;
  if (running.reason === "PauseFailed") return true;
  const since = parseTime(running.lastTransitionTime);
  return running.status === "False" && since !== null && nowSeconds - since >= LATE_SECONDS;
}

/** The provider's word for a machine that is on; of one that is being deleted where its operator reports no state, that it is there. Null for any other. */
function wordOf(resource: Resource): string | null {
  const isLeft = isMachine(resource) && isGoing(resource) && isMade(resource) && machineOver(resource) === null;
  return machineOn(resource) ?? (isLeft ? "there" : null);
}

/**
 * The run with the provider's word for its machine, if that is on although it should have been off for minutes: in a pause, and after an end that stops it.
 * `live` are the resources of its release. Pure.
 */
export function withStillOn(
  run: FollowedRun | null,
  { object, live, nowSeconds }: { object: Resource; live: readonly (Resource | null)[]; nowSeconds: number },
): FollowedRun | null {
  if (run === null || (run.step.do !== "pause" && run.step.do !== "stop") || !isLate(object, nowSeconds)) return run;
  const [word] = live.flatMap((resource) => (resource === null ? [] : (wordOf(resource) ?? [])));
  return word === undefined ? run : { ...run, step: { ...run.step, stillOn: word } };
}
