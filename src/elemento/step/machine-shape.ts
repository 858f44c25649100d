import type { MachineShape, PciDevice } from "../api/types.ts";
import type { Flavour } from "../read-elemento-catalog.ts";
import type { VmSpec } from "../types.ts";

/** What is asked for where nobody says otherwise. */
const USUAL = {
  slots: 1,
  memoryMiB: 1024,
  overprovision: 1,
  allowSMT: false,
  archs: ["X86_64"],
  flags: [],
  reqECC: false,
  minFrequencyMHz: 0,
} as const satisfies Partial<MachineShape>;

const ofFlavour = ({ vcpus, memoryGiB, overprovision, flags }: Flavour): Partial<MachineShape> => ({
  slots: vcpus,
  memoryMiB: memoryGiB * 1024,
  overprovision,
  flags,
});

const devices = (spec: VmSpec): PciDevice[] =>
  (spec.pciDevices ?? []).map(({ vendor, model, quantity = 1 }) => ({ vendor, model, quantity }));

/** What the machine needs: the flavour's figures, and before them what the object says itself. */
export function machineShape(spec: VmSpec, flavour: Flavour | undefined): MachineShape {
  const { cpu, memory, os } = spec;
  return {
    ...USUAL,
    ...(flavour ? ofFlavour(flavour) : {}),
    ...cpu,
    ...(memory ? { memoryMiB: memory.sizeMiB, reqECC: memory.reqECC ?? false } : {}),
    os: { family: os.family, flavour: os.flavour },
    pciDevices: devices(spec),
  };
}
