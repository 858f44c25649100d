import { table } from "../../model/table.ts";

/** The paths of a machine's name and addresses in its resources, with dots, `[]` for each entry of a list. */
export interface MachinePaths {
  /** The machine's id at its provider. Only a machine has one. */
  id?: string;
  /** Its full name at the provider: an ARM id, an ARN, a self link. */
  resource?: string;
  publicAddresses?: readonly string[];
  privateAddresses?: readonly string[];
  /** Addresses whose range says whether they are public. */
  addresses?: readonly string[];
  /** The id of the data disk that this resource is. */
  disk?: string;
  /** The id of the machine's own disk. */
  osDisk?: string;
  /** A list of disks with `name` and `id`. */
  disks?: string;
}

/**
 * By `group/Kind`, read from the CRDs in src/local/crds and charts/landfall/definitions. What is missing here is not reported by the operator:
 * ACK has no ids of an instance's volumes, and Config Connector no public address that was not reserved by a ComputeAddress.
 */
export const MACHINE_PATHS: Readonly<Record<string, MachinePaths>> = table({
  "compute.azure.com/VirtualMachine": {
    id: "status.vmId",
    resource: "status.id",
    osDisk: "status.storageProfile.osDisk.managedDisk.id",
  },
  "compute.azure.com/Disk": { disk: "status.id" },
  "network.azure.com/NetworkInterface": { privateAddresses: ["status.ipConfigurations[].privateIPAddress"] },
  "network.azure.com/PublicIPAddress": { publicAddresses: ["status.ipAddress"] },
  "ec2.services.k8s.aws/Instance": {
    id: "status.instanceID",
    resource: "status.ackResourceMetadata.arn",
    publicAddresses: ["status.publicIPAddress", "status.ipv6Address"],
    // ACK writes what EC2 chose back into the spec.
    privateAddresses: ["spec.privateIPAddress", "spec.networkInterfaces[].privateIPAddress"],
  },
  "compute.cnrm.cloud.google.com/ComputeInstance": {
    id: "status.instanceId",
    resource: "status.selfLink",
    // Config Connector writes it back where the namespace has stateIntoSpec: merge.
    privateAddresses: ["spec.networkInterface[].networkIp"],
  },
  "compute.cnrm.cloud.google.com/ComputeDisk": { disk: "status.selfLink" },
  "elemento.landfall.dev/ElementoVm": { id: "status.id", addresses: ["status.ipv4"], disks: "status.volumes" },
});
