import { isObject } from "../../../model/json.ts";
import { endpoint, kubeconfig, patchVersion } from "../cluster-values.ts";
import { aksVersionRefusal } from "../control-versions.ts";
import { agentPoolRefusal } from "../pool-versions.ts";
import { diskRefusal, diskStatus, machineRefusal, machineStatus } from "./aso-machine.ts";
import { networkRefusal, nodeGroupRefusal, securityRuleRefusal, servicesRefusal } from "./aso-network.ts";
import { profilesRefusal } from "./aso-profiles.ts";
import { laterFailure, poolRefusal, poolStatus, profileStatus } from "./aso-pools.ts";
import { askedEviction } from "../decide-phase.ts";
import { publicAddress, textAt, uuidOf, valueAt } from "../fields.ts";
import type { KindRule, Lookup, Resource, Shutdown } from "../types.ts";

export const RESOURCES = "resources.azure.com";
export const NETWORK = "network.azure.com";
export const COMPUTE = "compute.azure.com";
export const CONTAINERS = "containerservice.azure.com";
const SUBSCRIPTION = "/subscriptions/00000000-0000-4000-8000-000000000000";

/** Kind of the owner, and the resource's path in an ARM id, by kind. */
export const ASO_OWNERS: Readonly<Record<string, { group: string; kind: string; path: string }>> = {
  VirtualNetwork: { group: RESOURCES, kind: "ResourceGroup", path: "/providers/Microsoft.Network/virtualNetworks" },
  VirtualNetworksSubnet: { group: NETWORK, kind: "VirtualNetwork", path: "/subnets" },
  NetworkSecurityGroup: {
    group: RESOURCES,
    kind: "ResourceGroup",
    path: "/providers/Microsoft.Network/networkSecurityGroups",
  },
  NetworkSecurityGroupsSecurityRule: { group: NETWORK, kind: "NetworkSecurityGroup", path: "/securityRules" },
  PublicIPAddress: { group: RESOURCES, kind: "ResourceGroup", path: "/providers/Microsoft.Network/publicIPAddresses" },
  NetworkInterface: { group: RESOURCES, kind: "ResourceGroup", path: "/providers/Microsoft.Network/networkInterfaces" },
  ManagedCluster: {
    group: RESOURCES,
    kind: "ResourceGroup",
    path: "/providers/Microsoft.ContainerService/managedClusters",
  },
  ManagedClustersAgentPool: { group: CONTAINERS, kind: "ManagedCluster", path: "/agentPools" },
  Disk: { group: RESOURCES, kind: "ResourceGroup", path: "/providers/Microsoft.Compute/disks" },
  VirtualMachine: { group: RESOURCES, kind: "ResourceGroup", path: "/providers/Microsoft.Compute/virtualMachines" },
};

const azureName = (resource: Resource): string => textAt(resource.spec, "azureName") ?? resource.metadata.name;

/** The ARM id that Azure gives a resource: that of its owner, its type and its name. */
function armId(resource: Resource, lookup: Lookup): string {
  const owner = ASO_OWNERS[resource.kind];
  if (owner === undefined) return `${SUBSCRIPTION}/resourceGroups/${azureName(resource)}`;
  const name = textAt(resource.spec, "owner.name");
  const { namespace } = resource.metadata;
  const parent = name === null ? undefined : lookup({ group: owner.group, kind: owner.kind, namespace, name });
  const prefix = parent ? armId(parent, lookup) : (textAt(resource.spec, "owner.armId") ?? SUBSCRIPTION);
  return `${prefix}${owner.path}/${azureName(resource)}`;
}

const privateAddresses = (resource: Resource): unknown[] => {
  const configurations = valueAt(resource.spec, "ipConfigurations");
  const names = Array.isArray(resource.spec["ipConfigurations"]) ? resource.spec["ipConfigurations"] : [configurations];
  return names
    .filter(isObject)
    .map((entry, index) => ({ name: entry["name"], privateIPAddress: `10.0.0.${index + 4}` }));
};

/** Fields of status besides the id, by kind. */
const EXTRA: Readonly<Record<string, (resource: Resource, lookup: Lookup) => Record<string, unknown>>> = {
  PublicIPAddress: (resource) => ({ ipAddress: publicAddress(resource) }),
  NetworkInterface: (resource) => ({ ipConfigurations: privateAddresses(resource) }),
  VirtualMachine: machineStatus,
  Disk: diskStatus,
  ManagedCluster: (resource, lookup) => ({
    location: textAt(resource.spec, "location"),
    fqdn: endpoint(resource, "azmk8s").replace("https://", ""),
    currentKubernetesVersion: patchVersion(resource, "kubernetesVersion"),
    agentPoolProfiles: profileStatus(resource, lookup),
  }),
  ManagedClustersAgentPool: (resource, lookup) => ({
    ...poolStatus(resource, lookup),
    currentOrchestratorVersion: patchVersion(resource, "orchestratorVersion"),
  }),
};

/** Azure deletes a spot machine that it takes back, and the operator creates it again. */
function eviction(resource: Resource): Shutdown | null {
  const isFirst = [null, uuidOf(resource)].includes(textAt(resource.status, "vmId"));
  const seconds = isFirst && textAt(resource.spec, "priority") === "Spot" ? askedEviction(resource) : null;
  const vmId = uuidOf({ ...resource, kind: `${resource.kind}/again` });
  return seconds === null ? null : { seconds, status: { vmId }, again: { refusal: null } };
}

const rule = (group: string, kind: string, seconds: number, more: Partial<KindRule> = {}): KindRule => ({
  group,
  kind,
  seconds,
  required: [],
  immutable: ["location"],
  ...more,
  status: (resource, lookup) => ({
    id: armId(resource, lookup),
    name: azureName(resource),
    provisioningState: "Succeeded",
    ...EXTRA[kind]?.(resource, lookup),
  }),
});

const place = (resource: Resource): string | null => {
  const location = textAt(resource.spec, "location");
  return location && `azure/${location}`;
};

export const imageParts = ({ spec }: Resource): (string | null)[] =>
  ["publisher", "offer", "sku", "version"].map((part) => textAt(spec, `storageProfile.imageReference.${part}`));

const hasOtherImage = ({ spec }: Resource): boolean =>
  ["reference", "sharedGalleryImageId", "communityGalleryImageId"].some(
    (field) => valueAt(spec, `storageProfile.imageReference.${field}`) !== undefined,
  );

/** The fields that the operator keeps of each kind, and Azure's answers for it. */
export const ASO_KINDS: readonly KindRule[] = [
  rule(RESOURCES, "ResourceGroup", 0.5, { required: ["location"] }),
  rule(NETWORK, "VirtualNetwork", 0.8, {
    required: ["location", "addressSpace.addressPrefixes"],
    refuses: networkRefusal,
  }),
  rule(NETWORK, "VirtualNetworksSubnet", 0.6, { required: ["addressPrefix"], immutable: [] }),
  rule(NETWORK, "NetworkSecurityGroup", 0.6, { required: ["location"] }),
  rule(NETWORK, "NetworkSecurityGroupsSecurityRule", 0.5, {
    required: ["priority", "protocol"],
    immutable: [],
    refuses: securityRuleRefusal,
  }),
  rule(NETWORK, "PublicIPAddress", 0.6, { required: ["location"] }),
  rule(NETWORK, "NetworkInterface", 0.6, { required: ["location", "ipConfigurations"] }),
  rule(CONTAINERS, "ManagedCluster", 2, {
    refuses: (resource, lookup, dependents) =>
      servicesRefusal(resource) ??
      nodeGroupRefusal(resource, lookup) ??
      aksVersionRefusal(resource) ??
      profilesRefusal(resource, dependents) ??
      poolRefusal(resource, lookup) ??
      laterFailure(resource, lookup, { id: armId(resource, lookup), name: azureName(resource) }),
    required: ["location", "dnsPrefix"],
    immutable: ["location", "dnsPrefix", "nodeResourceGroup", "networkProfile"],
    machine: (resource) => ({
      place: place(resource),
      instanceType: textAt(resource.spec, "agentPoolProfiles.vmSize"),
      imageExists: true,
    }),
    secret: (resource) => {
      const wanted = valueAt(resource.spec, "operatorSpec.secrets.userCredentials");
      const [name, key] = [textAt(wanted, "name"), textAt(wanted, "key")];
      if (name === null || key === null) return null;
      return { name, key, value: kubeconfig(resource, endpoint(resource, "azmk8s")) };
    },
  }),
  rule(CONTAINERS, "ManagedClustersAgentPool", 1, {
    required: ["vmSize"],
    immutable: ["vmSize", "osDiskSizeGB", "vnetSubnetReference"],
    refuses: (resource, lookup) => poolRefusal(resource, lookup) ?? agentPoolRefusal(resource, lookup),
  }),
  rule(COMPUTE, "Disk", 0.8, {
    required: ["location", "creationData.createOption"],
    immutable: ["location", "creationData", "sku"],
    refuses: diskRefusal,
  }),
  rule(COMPUTE, "VirtualMachine", 3.5, {
    refuses: machineRefusal,
    shutdown: eviction,
    required: [
      "location",
      "hardwareProfile.vmSize",
      "networkProfile.networkInterfaces",
      "storageProfile.imageReference",
    ],
    immutable: [
      "location",
      "osProfile.computerName",
      "osProfile.adminUsername",
      "osProfile.customData",
      "storageProfile.imageReference",
      "zones",
    ],
    machine: (resource) => ({
      place: place(resource),
      instanceType: textAt(resource.spec, "hardwareProfile.vmSize"),
      imageExists: imageParts(resource).every((part) => part !== null) || hasOtherImage(resource),
    }),
  }),
];
