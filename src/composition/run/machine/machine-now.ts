import { isRefused, readiness } from "../../status/readiness.ts";
import { isControlPlane, isPool } from "../../status/cluster-status.ts";
import type { ConditionInput, Resource } from "../../types.ts";
import { isMachine, machineOver, machineRuns } from "./run-sign.ts";

/** `refused`: its provider does not make or start it. */
export type MachineNow = "on" | "off" | "refused";

const isGoing = ({ metadata }: Resource): boolean => metadata.deletionTimestamp !== undefined;

/** The state of a machine. One whose operator reports no state is on as long as it is ready. */
function stateOf(machine: Resource): MachineNow | null {
  if (isGoing(machine)) return null;
  if (machineRuns(machine) ?? readiness(machine).ready) return "on";
  if (isRefused(machine)) return "refused";
  return machineOver(machine) === null ? null : "off";
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

/** Whether the machine of a run is there, so that its work can be done. A cluster without one of its pools is there all the same. */
export function isThere(live: readonly Resource[], ready: ConditionInput): boolean {
  if (ready.status === "True") return true;
  const isOn = machineNow(live) === "on";
  return isOn && (live.some(isMachine) || ready.reason.startsWith("Provider"));
}
