import type { Vm } from "../api/types.ts";
import { isElsewhere, placeText } from "./is-elsewhere.ts";
import type { VmStepInput } from "./vm-step-input.ts";
import type { VmPlan } from "./plan-vm.ts";
import type { Step } from "./step.ts";
import { info, SOON_MS, wait, warning } from "./step.ts";

/** Differences between Elemento and the object; Elemento has no call to correct them. */
function driftOf({ object, own }: VmStepInput, plan: VmPlan, vm: Vm): string[] {
  const lost = plan.volumes.filter(
    ({ ownName }) => ownName !== null && !own.volumes.some(({ name }) => name === ownName),
  );
  const { spec, status } = object;
  const placed = status?.placement;
  const isMoved = placed !== undefined && isElsewhere(placed, spec);
  return [
    ...(isMoved ? [`its status places it at ${placeText(placed)}, not ${placeText(spec)}`] : []),
    ...(vm.slots === plan.shape.slots ? [] : [`it has ${String(vm.slots)} slots, not ${String(plan.shape.slots)}`]),
    ...(vm.memoryMiB === plan.shape.memoryMiB
      ? []
      : [`it has ${String(vm.memoryMiB)} MiB, not ${String(plan.shape.memoryMiB)}`]),
    ...lost.map(({ volume }) => `its volume ${volume.name} is gone`),
    ...(vm.name === plan.name ? [] : [`it is called ${vm.name}, not ${spec.name}`]),
  ];
}

/** States of a machine that was on, as they were seen before. */
const WAS_ON = ["running", "stopping", "off"];

/** Whether a machine was seen before, so that it is off because it was on and stopped. */
const wasOn = ({ object: { status } }: VmStepInput, vm: Vm): boolean =>
  status?.id === vm.id && WAS_ON.includes(status.state ?? "");

/** Stops or starts a machine. `as-is` leaves one that stopped, which may have done its work. */
function power(input: VmStepInput, vm: Vm): Step | null {
  const { powerState: wanted } = input.object.spec;
  if (vm.state === "running" && wanted === "off") return { do: "stop", id: vm.id };
  const starts = wanted === "running" || (wanted === "as-is" && !wasOn(input, vm));
  return vm.state === "off" && starts ? { do: "start", id: vm.id } : null;
}

/** Deletes duplicates that a crashed operator left behind: the oldest machine stays, and what it uses. */
function duplicates({ own }: VmStepInput, vm: Vm): Step | null {
  const more = own.vms.slice(1).filter(({ state }) => state !== "deleting");
  const say = warning("RemovingDuplicates", "removes duplicates");
  if (more.length > 0) {
    return { do: "remove", things: more.map(({ id }) => ({ what: "machine", id })), say, duplicates: true };
  }
  // A second machine still uses its volumes and its network while it is being deleted.
  if (own.vms.length > 1) return null;
  const names = new Set<string>();
  const volumes = own.volumes.filter(({ id, name, vmIds, state }) => {
    const twice = names.has(name) && !vmIds.includes(vm.id) && !vm.volumeIds.includes(id);
    names.add(name);
    return twice && state !== "deleting";
  });
  const things = [
    ...volumes.map(({ id }) => ({ what: "volume" as const, id })),
    ...own.networks.slice(1).map(({ id }) => ({ what: "network" as const, id })),
  ];
  return things.length === 0 ? null : { do: "remove", things, say, duplicates: true };
}

const whyOff = ({ object }: VmStepInput): string =>
  object.spec.powerState === "off" ? "as wanted" : "and powerState: as-is leaves it";

/** With a machine: deletes duplicates, sets the power state, then does nothing. */
export function keepMachine(input: VmStepInput, plan: VmPlan, vm: Vm): Step {
  const action = duplicates(input, vm) ?? power(input, vm);
  if (action) return action;
  const drift = driftOf(input, plan, vm);
  if (vm.state === "running") {
    const addressMissing = vm.ipv4 === null && (plan.ownNetwork || plan.networks.length > 0);
    const message = addressMissing ? "the machine is running; its address is not known yet" : "the machine is running";
    return { do: "rest", reason: "Running", message, drift, lookAgainMs: addressMissing ? 2 * SOON_MS : null };
  }
  if (vm.state === "off")
    return { do: "rest", reason: "Off", message: `the machine is off, ${whyOff(input)}`, drift, lookAgainMs: null };
  if (vm.state === "unknown")
    return wait(warning("StateUnknown", "Elemento does not report the machine's state"), 5000);
  return wait(info("Starting", `the machine is ${vm.state}`));
}
