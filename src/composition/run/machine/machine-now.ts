import { isRefused, readiness } from "../../status/readiness.ts";
import { isMadeCluster } from "../../status/cluster-paths.ts";
import { isControlPlane, isPool } from "../../status/cluster-status.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import { hasNoId, isMachine, isSoldOut, isSoldOutSpot, machineOver, machineRuns } from "./run-sign.ts";

/** The machine of a run, as its resources show it. */
export interface SeenMachine {
  /** The condition Ready of its resources. */
  ready: ConditionInput;
  /** Its resources, as they are known; empty where nothing is known of them. */
  live: readonly Resource[];
  /** Whether its provider has one, or the control plane of its cluster: it may be stopped. */
  hasMachine: boolean;
}

/** Whether the provider has, or had, what this resource stands for: the machine of a run, or the control plane of its cluster. */
export const isMade = (resource: Resource): boolean =>
  isControlPlane(resource) ? isMadeCluster(resource) : isMachine(resource) && !hasNoId(resource);

/** The machine of a run by its resources. Pure. */
export const seenMachine = (live: readonly Resource[], ready: ConditionInput): SeenMachine => ({
  ...{ live, ready },
  hasMachine: live.some(isMade),
});

/** `refused`: its provider does not make or start it. */
export type MachineNow = "on" | "off" | "refused";

/** Whether it is being deleted. */
export const isGoing = ({ metadata }: Resource): boolean => metadata.deletionTimestamp !== undefined;

/** Whether a machine is there, by its id, whose operator reports no state. */
const isUnsaid = (machine: Resource): boolean =>
  !isGoing(machine) && !hasNoId(machine) && machineRuns(machine) === null && !readiness(machine).ready;

/** The state of a machine. One whose operator reports no state is on as long as it is ready. */
function stateOf(machine: Resource): MachineNow | null {
  if (isGoing(machine)) return null;
  if (isSoldOutSpot(machine)) return "refused";
  if (machineRuns(machine) ?? readiness(machine).ready) return "on";
  // Of one that is there, any other error is one of its operator, or of a change that is refused.
  if (isUnsaid(machine) ? isSoldOut(machine) : isRefused(machine)) return "refused";
  return machineOver(machine) === null ? null : "off";
}

/**
 * Whether the machine of a run is there although its operator calls it not ready, and reports no state: it cannot log in, cannot change it, or did not see it
 * boot. What is refused of a machine that worked before this run (`hasWorked`) is a change, unless it is a spot machine that was taken back. Pure.
 */
export function isLeftThere(live: readonly Resource[], hasWorked: boolean): boolean {
  const machine = live.find(isMachine);
  if (machine === undefined || !isUnsaid(machine) || !isRefused(machine)) return false;
  return hasWorked ? !isSoldOutSpot(machine) : !isSoldOut(machine);
}

/** A cluster is on, and paid for, from when its control plane or the first of its pools is. */
function stateOfCluster(live: readonly Resource[]): MachineNow | null {
  const isOn = live.some((one) => (isControlPlane(one) || isPool(one)) && readiness(one).ready);
  if (isOn) return "on";
  return live.some((one) => isControlPlane(one) && isRefused(one)) ? "refused" : null;
}

/**
 * The state of the machine among the resources of a release, by its own resource: another one that fails does not stop it. Null if its
 * operator does not say it. Pure.
 */
export function machineNow(live: readonly Resource[]): MachineNow | null {
  const machine = live.find(isMachine);
  return machine === undefined ? stateOfCluster(live) : stateOf(machine);
}

/**
 * The state of the machine among the resources of a release, as it is paid for: one that is being deleted is on until its provider says that it is off, or
 * it is gone. Null if its operator does not say it. Pure.
 */
export function powerNow(live: readonly Resource[]): MachineNow | null {
  const going = live.find((one) => isMachine(one) && isGoing(one) && !hasNoId(one));
  if (going === undefined) return machineNow(live);
  return machineOver(going) === null ? "on" : "off";
}

/** Whether the machine of a run is there, so that its work can be done. A cluster without one of its pools is there all the same. */
export function isThere(live: readonly Resource[], ready: ConditionInput): boolean {
  if (ready.status === "True") return true;
  const isOn = machineNow(live) === "on";
  return isOn && (live.some(isMachine) || ready.reason.startsWith("Provider"));
}
