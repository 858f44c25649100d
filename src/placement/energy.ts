import type { PowerModel } from "../model/catalog.ts";
import type { Candidate } from "../model/policy.ts";

/** Power that a machine of this size draws from the grid, in kW: (vCPU × W + GiB × W) × PUE of its provider. */
export function powerKw(power: PowerModel, machine: Pick<Candidate, "provider" | "vcpus" | "memoryGiB">): number {
  const watts = machine.vcpus * power.wattsPerVcpu + machine.memoryGiB * power.wattsPerGiB;
  return (watts * (power.pue[machine.provider] ?? power.pue["default"] ?? 1)) / 1000;
}
