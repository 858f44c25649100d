import type { Vm } from "../api/types.ts";
import type { VmStepInput } from "./vm-step-input.ts";
import type { VmPlan } from "./plan-vm.ts";
import type { Step } from "./step.ts";
import { info, SOON_MS, wait, warning } from "./step.ts";

/** Differences between Elemento and the object; Elemento has no call to correct them. */
function driftOf({ object, own }: VmStepInput, plan: VmPlan, vm: Vm): string[] {
  const lost = plan.volumes.filter(
    ({ ownName }) => ownName !== null && !own.volumes.some(({ name }) => name === ownName),
  );
  return [
    ...(vm.slots === plan.shape.slots ? [] : [`it has ${String(vm.slots)} slots, not ${String(plan.shape.slots)}`]),
    ...(vm.memoryMiB === plan.shape.memoryMiB
      ? []
      : [`it has ${String(vm.memoryMiB)} MiB, not ${String(plan.shape.memoryMiB)}`]),
    ...lost.map(({ volume }) => `its volume ${volume.name} is gone`),
    ...(vm.name === plan.name ? [] : [`it is called ${vm.name}, not ${object.spec.name}`]),
  ];
}

function power(vm: Vm, wanted: "running" | "off"): Step | null {
  if (vm.state === "running" && wanted === "off") return { do: "stop", id: vm.id };
  if (vm.state === "off" && wanted === "running") return { do: "start", id: vm.id };
  return null;
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

/** With a machine: deletes duplicates, sets the power state, then does nothing. */
export function keepMachine(input: VmStepInput, plan: VmPlan, vm: Vm): Step {
  const { powerState } = input.object.spec;
  const action = duplicates(input, vm) ?? power(vm, powerState);
  if (action) return action;
  const drift = driftOf(input, plan, vm);
  if (vm.state === "running") {
    const addressMissing = vm.ipv4 === null && (plan.ownNetwork || plan.networks.length > 0);
    const message = addressMissing ? "the machine is running; its address is not known yet" : "the machine is running";
    return { do: "rest", reason: "Running", message, drift, lookAgainMs: addressMissing ? 2 * SOON_MS : null };
  }
  if (vm.state === "off") {
    return { do: "rest", reason: "Off", message: "the machine is off, as wanted", drift, lookAgainMs: null };
  }
  if (vm.state === "unknown")
    return wait(warning("StateUnknown", "Elemento does not report the machine's state"), 5000);
  return wait(info("Starting", `the machine is ${vm.state}`));
}
