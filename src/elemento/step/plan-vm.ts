import type { MachineShape, Place } from "../api/types.ts";
import { ownName } from "../own-name.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import type { ElementoObject, NetworkChoice, VmSpec, VmVolume } from "../types.ts";
import { checkTarget } from "./check-target.ts";
import { freeCidr } from "./free-cidr.ts";
import { machineShape } from "./machine-shape.ts";
import type { Create, Saying } from "./step.ts";

/** A volume of the machine: one of its own, or one that is known already. */
export interface VolumePlan {
  readonly volume: VmVolume;
  readonly ownName: string | null;
}

export interface VmPlan {
  readonly name: string;
  readonly hostname: string;
  readonly shape: MachineShape;
  /** In the order in which the machine gets them: bootable first. */
  readonly volumes: readonly VolumePlan[];
  readonly ownNetwork: boolean;
  readonly networks: readonly NetworkChoice[];
}

const isBootable = ({ type, bootable = type === "image" }: VmVolume): boolean => bootable;

/** What the object comes to at Elemento; or why it comes to nothing, whatever Elemento says. */
export function planVm(object: ElementoObject<VmSpec>, catalog: ElementoCatalog): VmPlan | Saying {
  const { spec, metadata } = object;
  const uid = metadata.uid ?? "";
  const { provider, flavour, os, volumes, network = {}, additionalNetworks = [] } = spec;
  const image = volumes.some(({ type }) => type === "image") && os.imageUrl === undefined ? os.image : undefined;
  const wrong = checkTarget(catalog, { provider, service: "vm", image });
  if (wrong) return wrong;
  const size = flavour === undefined ? undefined : catalog.flavours[flavour];
  if (size === undefined && (spec.cpu === undefined || spec.memory === undefined)) {
    const known = Object.keys(catalog.flavours).join(", ");
    return { severity: "Error", reason: "UnknownFlavour", message: `flavour ${flavour ?? ""} is none of ${known}` };
  }
  const joins = network.existing !== undefined || network.networkRef !== undefined;
  const ownNetwork = !joins && (network.cidr !== undefined || network.dhcp !== undefined);
  return {
    name: ownName(spec.name, uid),
    hostname: spec.name,
    shape: machineShape(spec, size),
    volumes: [...volumes.filter(isBootable), ...volumes.filter((volume) => !isBootable(volume))].map((volume) => ({
      volume,
      ownName:
        volume.existing === undefined && volume.volumeRef === undefined ? ownName(volume.name, uid, Infinity) : null,
    })),
    ownNetwork,
    networks: [...(ownNetwork ? [] : [network]), ...additionalNetworks].filter(
      ({ existing, networkRef }) => existing !== undefined || networkRef !== undefined,
    ),
  };
}

/** How one of the machine's own volumes is asked for. */
export function createVolume(plan: VolumePlan, spec: VmSpec, place: Place, catalog: ElementoCatalog): Create {
  const { volume, ownName: name } = plan;
  const common = { name: name ?? "", place, private: volume.private ?? true };
  const sizeGB = volume.sizeGB ?? 1;
  if (volume.type === "cloud-init") return { what: "cloud-init", request: common };
  if (volume.type === "image") {
    const imageUrl = spec.os.imageUrl ?? catalog.images[spec.os.image ?? ""] ?? "";
    return { what: "image", request: { ...common, sizeGB, imageUrl } };
  }
  const { bootable = false, readonly = false, shareable = false } = volume;
  return { what: "volume", request: { ...common, sizeGB, bootable, readonly, shareable } };
}

/** How the machine's own network is asked for; null where no range of addresses is left. */
export function createOwnNetwork(
  plan: VmPlan,
  object: ElementoObject<VmSpec>,
  { place, taken }: { place: Place; taken: readonly string[] },
): Create | null {
  const { network = {} } = object.spec;
  const cidr = network.cidr ?? freeCidr(object.metadata.uid ?? "", taken);
  if (cidr === null) return null;
  const dhcp = network.dhcp === false ? null : ("all" as const);
  return { what: "network", request: { name: plan.name, place, cidr, dhcp, routes: [], private: true } };
}
