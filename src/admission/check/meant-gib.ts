/** Machines with the most memory have 32 GiB for each vCPU. Twice that and at least this much is rarely meant. */
const SUSPICIOUS_GIB = 512;
const SUSPICIOUS_GIB_PER_VCPU = 64;
const MIB_PER_GIB = 1024;

/** The GiB of a machine's or pool's `memory` if it was given in MiB, where that can be meant; empty if it cannot. */
export function meantGib({ cpu, memory }: Record<string, unknown>): number[] {
  if (typeof cpu !== "number" || typeof memory !== "number") return [];
  if (memory < SUSPICIOUS_GIB || memory < SUSPICIOUS_GIB_PER_VCPU * cpu) return [];
  return [Math.max(1, Math.round(memory / MIB_PER_GIB))];
}
