import type { MachineShape, Place, PciDevice } from "../api/types.ts";
import { ownName, sharedName } from "../own-name.ts";
import type { ElementoCatalog, Flavour } from "../read-elemento-catalog.ts";
import type { ElementoObject, NetworkChoice, VmSpec, VmVolume } from "../types.ts";
import { checkTarget } from "./check-target.ts";
import type { Create, Saying } from "./step.ts";
import { formatIpv4, type Ipv4Network, overlaps, parseIpv4Network } from "../../model/formats/ipv4-network.ts";
import { sha256 } from "../../model/sha256.ts";

/** Defaults of a machine. */
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

/** The machine's requirements: the flavour's values, overridden by the object's own. */
function machineShape(spec: VmSpec, flavour: Flavour | undefined): MachineShape {
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

/** Elemento rejects overlapping networks, so a machine's own network is an unused /24 of this range. */
const USUAL_RANGES = ["10.128.0.0/9"];
const ADDRESSES = 256;

/** An address without a prefix length is a network of one address. */
const parse = (network: string): Ipv4Network | null =>
  parseIpv4Network(network.includes("/") ? network : `${network}/32`);

/** The first addresses of all /24 in a range. */
function firstAddresses(range: string): number[] {
  const { first, last } = parse(range) ?? { first: 0, last: -1 };
  return Array.from({ length: Math.floor((last - first + 1) / ADDRESSES) }, (_, index) => first + index * ADDRESSES);
}

/** A /24 of the ranges that does not overlap `taken`; the same for the same uid while it is free. Null if none is free. */
export function freeCidr(
  uid: string,
  taken: readonly string[],
  ranges: readonly string[] = USUAL_RANGES,
): string | null {
  const networks = taken.map(parse).filter((network) => network !== null);
  const all = ranges.flatMap(firstAddresses);
  const start = Number.parseInt(sha256(uid).slice(0, 4), 16) % all.length;
  const found = [...all.slice(start), ...all.slice(0, start)].find(
    (first) => !networks.some((one) => overlaps(one, { first, last: first + ADDRESSES - 1 })),
  );
  return found === undefined ? null : `${formatIpv4(found)}/24`;
}

/** A volume of the machine: its own, or an existing one. */
export interface VolumePlan {
  readonly volume: VmVolume;
  readonly ownName: string | null;
}

export interface VmPlan {
  readonly name: string;
  readonly hostname: string;
  readonly shape: MachineShape;
  /** In the order of attachment: bootable first. */
  readonly volumes: readonly VolumePlan[];
  readonly ownNetwork: boolean;
  readonly networks: readonly NetworkChoice[];
}

const isBootable = ({ type, bootable = type === "image" }: VmVolume): boolean => bootable;

const bootFirst = (volumes: readonly VmVolume[]): VmVolume[] => [
  ...volumes.filter(isBootable),
  ...volumes.filter((volume) => !isBootable(volume)),
];

const isNamed = ({ existing, networkRef }: NetworkChoice): boolean =>
  existing !== undefined || networkRef !== undefined;

const planVolume = (volume: VmVolume, uid: string): VolumePlan => {
  const isOwn = volume.existing === undefined && volume.volumeRef === undefined;
  return { volume, ownName: isOwn ? ownName(volume.name, uid, Infinity) : null };
};

/** Why the object is invalid regardless of Elemento. */
function checkSpec({ provider, flavour, os, volumes, cpu, memory }: VmSpec, catalog: ElementoCatalog): Saying | null {
  const image = volumes.some(({ type }) => type === "image") && os.imageUrl === undefined ? os.image : undefined;
  const wrong = checkTarget(catalog, { provider, service: "vm", image });
  const hasSize = cpu !== undefined && memory !== undefined;
  if (wrong || hasSize || catalog.flavours[flavour ?? ""]) return wrong;
  const known = Object.keys(catalog.flavours).join(", ");
  return { severity: "Error", reason: "UnknownFlavour", message: `flavour ${flavour ?? ""} is none of ${known}` };
}

/** The object's resources at Elemento, or why there can be none. */
export function planVm({ spec, metadata }: ElementoObject<VmSpec>, catalog: ElementoCatalog): VmPlan | Saying {
  const wrong = checkSpec(spec, catalog);
  if (wrong) return wrong;
  const uid = metadata.uid ?? "";
  const { network = {}, additionalNetworks = [] } = spec;
  return {
    name: ownName(spec.name, uid),
    hostname: spec.name,
    shape: machineShape(spec, catalog.flavours[spec.flavour ?? ""]),
    volumes: bootFirst(spec.volumes).map((volume) => planVolume(volume, uid)),
    ownNetwork: !isNamed(network) && (network.cidr !== undefined || network.dhcp !== undefined),
    networks: [network, ...additionalNetworks].filter(isNamed),
  };
}

/** Location and source of new volumes. */
export interface VolumeSource {
  readonly spec: VmSpec;
  readonly place: Place;
  readonly catalog: ElementoCatalog;
}

/** The request for one of the machine's own volumes. */
export function createVolume({ volume, ownName: name }: VolumePlan, { spec, place, catalog }: VolumeSource): Create {
  const common = { name: name ?? "", place, private: volume.private ?? true };
  const sizeGB = volume.sizeGB ?? 1;
  const { bootable = false, readonly = false, shareable = false } = volume;
  switch (volume.type) {
    case "cloud-init":
      return { what: "cloud-init", request: common };
    case "image":
      return { what: "image", request: { ...common, sizeGB, imageUrl: imageUrl(spec, catalog) } };
    case "data":
      return { what: "volume", request: { ...common, sizeGB, bootable, readonly, shareable } };
  }
}

const imageUrl = ({ os }: VmSpec, { images }: ElementoCatalog): string => os.imageUrl ?? images[os.image ?? ""] ?? "";

/** The request for the machine's own network; null if no range of addresses is free. */
export function createOwnNetwork(
  object: ElementoObject<VmSpec>,
  { place, taken, ranges }: { place: Place; taken: readonly string[]; ranges: readonly string[] | undefined },
): Create | null {
  const { network = {} } = object.spec;
  const cidr = network.cidr ?? freeCidr(object.metadata.uid ?? "", taken, ranges);
  if (cidr === null) return null;
  const name = sharedName(object.spec.name, object.metadata);
  const dhcp = network.dhcp === false ? null : ("all" as const);
  return { what: "network", request: { name, place, cidr, dhcp, routes: [], private: true } };
}
