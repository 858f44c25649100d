import { isObject, textOf } from "../../../model/json.ts";
import { zonesOf } from "../../../model/places/zones.ts";
import { generationRefusal } from "./aso-image.ts";
import { type Entry, listAt, numberAt, textAt, uuidOf } from "../fields.ts";
import type { Lookup, Refusal, Resource } from "../types.ts";

// Azure's answers to changes of a machine that runs, and of its disks. docs/internals/operators.md has the sources.

/** Above it, a disk that is attached grows only if it was larger before, and has no cache. */
const ONLINE_GIB = 4095;

/** The data disks of a machine's spec, each with its resource. */
const dataDisks = ({ spec, metadata: { namespace } }: Resource, lookup: Lookup): [Entry, Resource | undefined][] =>
  listAt(spec, "storageProfile.dataDisks").map((disk) => {
    const name = textAt(disk, "managedDisk.reference.name") ?? "";
    return [disk, lookup({ group: "compute.azure.com", kind: "Disk", namespace, name })];
  });

/** The id of the disk at each LUN; a disk that is not there has none. */
function disksByLun(resource: Resource, lookup: Lookup): Map<number, string> {
  const named = dataDisks(resource, lookup).map(([disk, found]) => {
    return [Number(disk["lun"]), textAt(found?.status, "id") ?? textAt(disk, "managedDisk.reference.armId")] as const;
  });
  return new Map(named.flatMap(([lun, id]) => (id === null ? [] : [[lun, id] as const])));
}

/** Azure's state of a machine: one that was created again has another id. */
export const machineStatus = (resource: Resource, lookup: Lookup): Record<string, unknown> => ({
  vmId: textAt(resource.status, "vmId") ?? uuidOf(resource),
  location: textAt(resource.spec, "location"),
  hardwareProfile: { vmSize: textAt(resource.spec, "hardwareProfile.vmSize") },
  storageProfile: {
    osDisk: { diskSizeGB: numberAt(resource.spec, "storageProfile.osDisk.diskSizeGB") },
    dataDisks: [...disksByLun(resource, lookup)].map(([lun, id]) => ({ lun, managedDisk: { id } })),
  },
});

/** Azure caches no large disk. It caches a premium disk unless the machine says that it has no cache. */
function cacheRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const isCached = dataDisks(resource, lookup).some(([{ caching }, disk]) => {
    const usual = textAt(disk?.spec, "sku.name") === "Premium_LRS" ? "ReadOnly" : "None";
    return (numberAt(disk?.spec, "diskSizeGB") ?? 0) > ONLINE_GIB && (caching ?? usual) !== "None";
  });
  if (!isCached) return null;
  const message = "Only Disk CachingType 'None' is supported for disk with size greater than 4095 GB.";
  return { code: "BadRequest", message, terminal: true };
}

/** Azure takes no other disk at a LUN in use, also if the request takes the one before away. */
function lunRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const wanted = disksByLun(resource, lookup);
  const isOther = listAt(resource.status, "storageProfile.dataDisks").some((disk) => {
    const id = wanted.get(Number(disk["lun"]));
    return id !== undefined && id !== textAt(disk, "managedDisk.id");
  });
  if (!isOther) return null;
  const message = "Changing property 'dataDisk.managedDisk.id' is not allowed.";
  return { code: "PropertyChangeNotAllowed", message, terminal: true };
}

interface SizeName {
  family: string;
  letters: string;
  version: number;
}

/** The parts of `Standard_D2ads_v5`: D, ads, 5. Without a version it is the first. */
function sizeName(size: string): SizeName {
  const [, family = "", letters = ""] = /^Standard_([A-Z]{1,4})\d{1,4}([a-z]{0,8})/.exec(size) ?? [];
  return { family, letters, version: Number(/_v(\d{1,2})$/.exec(size)?.[1] ?? "1") };
}

/** Letter d; and older series without it. */
function hasTemporaryDisk(size: string): boolean {
  const { family, letters, version } = sizeName(size);
  if (letters.includes("d") || (family === "M" && version === 1)) return true;
  return /^[DE]$/.test(family) && (version <= 3 || (version === 4 && letters.includes("a")));
}

const bootsFromNvme = (size: string): boolean => {
  const { family, version } = sizeName(size);
  return version >= 6 || (family === "FX" && version >= 2);
};

/** Two data disks for each vCPU; of version 6 and later twice as many, but those of AMD (letter a). */
function disksRefusal({ spec }: Resource): Refusal | null {
  const size = textAt(spec, "hardwareProfile.vmSize") ?? "";
  const { letters, version } = sizeName(size);
  const vcpus = Number(/^Standard_[A-Z]{1,4}(\d{1,4})/.exec(size)?.[1] ?? Infinity);
  const most = vcpus * (version >= 6 && !letters.includes("a") ? 4 : 2);
  if (listAt(spec, "storageProfile.dataDisks").length <= most) return null;
  const message = `The maximum number of data disks allowed to be attached to a VM of this size is ${String(most)}.`;
  return { code: "OperationNotAllowed", message, terminal: false };
}

function sizeRefusal({ spec, status, metadata }: Resource): Refusal | null {
  const [from, to] = [textAt(status, "hardwareProfile.vmSize"), textAt(spec, "hardwareProfile.vmSize")];
  if (from === null || to === null || from === to) return null;
  if (bootsFromNvme(from) !== bootsFromNvme(to)) {
    const type = bootsFromNvme(from) ? "NVMe" : "SCSI";
    const message =
      `The VM size '${to}' cannot boot with DiskControllerType '${type}'. Please check that the disk controller type provided is one of ` +
      `the supported disk controller types for the VM size '${to}'.`;
    return { code: "InvalidParameter", message, terminal: true };
  }
  if (hasTemporaryDisk(from) === hasTemporaryDisk(to)) return null;
  const message =
    `Unable to resize the VM '${metadata.name}' since changing from resource disk to non-resource disk VM size and vice-versa is not ` +
    "allowed. Please refer to https://aka.ms/AAah4sj for more details.";
  return { code: "OperationNotAllowed", message, terminal: false };
}

const notWhileAttached = (disk: string, machine: string): Refusal => ({
  code: "OperationNotAllowed",
  message:
    `Cannot resize disk ${disk} while it is attached to running VM ${machine}. Resizing a disk of an Azure Virtual Machine requires ` +
    "the virtual machine to be deallocated. Please stop your VM and retry the operation.",
  terminal: false,
});

const notSmaller = (disk: string): Refusal => ({
  code: "OperationNotAllowed",
  message:
    `The disk/snapshot resource with id ${disk} cannot be resized down. Reducing disk/snapshot size is not supported in Azure to ` +
    "prevent data loss.",
  terminal: false,
});

/** The size of the system disk goes through the machine. Azure changes it only while the machine is deallocated, and never to a smaller one. */
function systemDiskRefusal({ spec, status, metadata: { name } }: Resource): Refusal | null {
  const path = "storageProfile.osDisk.diskSizeGB";
  const [before, after] = [numberAt(status, path), numberAt(spec, path)];
  if (before === null || after === null || before === after) return null;
  return after < before ? notSmaller(`${name}_OsDisk`) : notWhileAttached(`${name}_OsDisk`, name);
}

/** The images that Azure sells machines of have 30 GB. */
const IMAGE_GB = 30;

/** A machine that Azure never makes: its system disk does not hold the image, or its login is none that Azure takes. */
function creationRefusal({ spec, status }: Resource): Refusal | null {
  if (textAt(status, "vmId") !== null) return null;
  const size = numberAt(spec, "storageProfile.osDisk.diskSizeGB");
  if (size !== null && size < IMAGE_GB && textAt(spec, "storageProfile.imageReference.publisher") !== null) {
    const message =
      `The specified disk size ${String(size)} GB is smaller than the size of the corresponding disk in the VM image: ` +
      `${String(IMAGE_GB)} GB. This is not allowed. Please choose equal or greater size or do not specify an explicit size.`;
    return { code: "OperationNotAllowed", message, terminal: false };
  }
  const keys = listAt(spec, "osProfile.linuxConfiguration.ssh.publicKeys");
  if (keys.every((key) => !isObject(key) || !textOf(key["keyData"]).startsWith("ecdsa-"))) return null;
  const message = "The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.";
  return { code: "InvalidParameter", message, terminal: true };
}

/** Azure numbers the zones of a region; some regions have none. */
function zoneRefusal({ spec, metadata: { name } }: Resource): Refusal | null {
  const region = textAt(spec, "location") ?? "";
  const known = zonesOf("azure", region) ?? [];
  const zones = Array.isArray(spec["zones"]) ? spec["zones"].map(textOf) : [];
  const unknown = zones.filter((zone) => !known.includes(zone));
  if (unknown.length === 0) return null;
  if (known.length === 0) {
    const message = `The resource 'Microsoft.Compute/virtualMachines/${name}' does not support availability zones at location '${region}'.`;
    return { code: "LocationNotSupportAvailabilityZones", message, terminal: true };
  }
  const named = unknown.join(",");
  const message = `The zone(s) '${named}' for resource 'Microsoft.Compute/virtualMachines/${name}' is not supported in '${region}'.`;
  return { code: "InvalidAvailabilityZone", message, terminal: true };
}

/** Azure sells no spot machines of the B-series, and its limits of the price have five decimals. */
function spotRefusal({ spec }: Resource): Refusal | null {
  const size = textAt(spec, "hardwareProfile.vmSize") ?? "";
  if (textAt(spec, "priority") !== "Spot") return null;
  const price = numberAt(spec, "billingProfile.maxPrice") ?? -1;
  if (price !== -1 && !(price > 0 && Number(price.toFixed(5)) === price))
    return { code: "MaxPriceValueInvalid", message: "Invalid max price value.", terminal: true };
  if (sizeName(size).family !== "B") return null;
  const message = `Azure Spot is not supported for this VM size ${size}.`;
  return { code: "AzureSpotIsNotSupportedForThisVMSize", message, terminal: false };
}

/** The refusal of a machine, or of a change to one that runs; null if Azure accepts both. */
export const machineRefusal = (resource: Resource, lookup: Lookup): Refusal | null =>
  zoneRefusal(resource) ??
  spotRefusal(resource) ??
  generationRefusal(resource) ??
  creationRefusal(resource) ??
  sizeRefusal(resource) ??
  disksRefusal(resource) ??
  lunRefusal(resource, lookup) ??
  cacheRefusal(resource, lookup) ??
  systemDiskRefusal(resource);

export const diskStatus = ({ spec }: Resource): Record<string, unknown> => ({
  diskSizeGB: numberAt(spec, "diskSizeGB"),
});

/** The charts attach every disk to a machine that runs: so each counts as attached. */
export function diskRefusal({ spec, status, metadata }: Resource): Refusal | null {
  const [before, after] = [numberAt(status, "diskSizeGB"), numberAt(spec, "diskSizeGB")];
  if (before === null || after === null || before === after) return null;
  if (after < before) return notSmaller(textAt(status, "id") ?? metadata.name);
  return before <= ONLINE_GIB && after > ONLINE_GIB ? notWhileAttached(metadata.name, "of this disk") : null;
}
