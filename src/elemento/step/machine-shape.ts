import type { MachineShape } from "../api/types.ts";
import type { Flavour } from "../read-elemento-catalog.ts";
import type { VmSpec } from "../types.ts";

/** What the machine needs: the flavour's figures, and before them what the object says itself. */
export function machineShape(spec: VmSpec, flavour: Flavour | undefined): MachineShape {
  const { cpu, memory, os, pciDevices = [] } = spec;
  return {
    slots: cpu?.slots ?? flavour?.vcpus ?? 1,
    memoryMiB: memory?.sizeMiB ?? (flavour?.memoryGiB ?? 1) * 1024,
    overprovision: cpu?.overprovision ?? flavour?.overprovision ?? 1,
    allowSMT: cpu?.allowSMT ?? false,
    archs: cpu?.archs ?? ["X86_64"],
    flags: cpu?.flags ?? flavour?.flags ?? [],
    reqECC: memory?.reqECC ?? false,
    minFrequencyMHz: cpu?.minFrequencyMHz ?? 0,
    os: { family: os.family, flavour: os.flavour },
    pciDevices: pciDevices.map(({ vendor, model, quantity = 1 }) => ({ vendor, model, quantity })),
  };
}
