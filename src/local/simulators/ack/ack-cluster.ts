import { textOf } from "../../../model/json.ts";
import { askedFault } from "../asked-fault.ts";
import { eksVersionRefusal } from "../control-versions.ts";
import { RUNNING } from "../pool-versions.ts";
import { textAt, valueAt } from "../fields.ts";
import type { Refusal, Resource } from "../types.ts";

// EKS's answers to the fields of a cluster that is there. docs/internals/operators.md has the sources.

/** `shows-auto-mode`: EKS reports the fields of Auto Mode as off, also of a cluster that was made without them. */
const SHOWS_AUTO_MODE = "shows-auto-mode";
/** Annotation with the switches of Auto Mode with which a cluster was made, which EKS would remember. */
const AUTO_MODE = "simulators.landfall.dev/auto-mode";
const SWITCHES = [
  "computeConfig.enabled",
  "storageConfig.blockStorage.enabled",
  "kubernetesNetworkConfig.elasticLoadBalancing.enabled",
];

const switchesOf = ({ spec }: Resource): string => JSON.stringify(SWITCHES.map((path) => valueAt(spec, path) ?? null));

/** ACK takes an absent switch and one that is off for a difference. EKS wants all three in a request, and then a change. */
function autoModeRefusal(resource: Resource): Refusal | null {
  const made = resource.metadata.annotations?.[AUTO_MODE];
  const now = switchesOf(resource);
  if (made === undefined || askedFault(resource) !== SHOWS_AUTO_MODE) return null;
  if (now.includes("null")) {
    const message = "The type for cluster update was not provided.";
    return { code: "InvalidParameterException", message, terminal: false };
  }
  if (now === made) return null;
  const message = "Cannot modify EKS Auto Mode configuration. Auto Mode is not enabled on this cluster.";
  return { code: "InvalidRequestException", message, terminal: false };
}

/** Annotation with the addresses that reach the public endpoint, which EKS would remember. */
const ADDRESSES = "simulators.landfall.dev/public-addresses";

const addressesOf = ({ spec }: Resource): unknown[] => {
  const found = valueAt(spec, "resourcesVPCConfig.publicAccessCIDRs");
  return Array.isArray(found) ? found : [];
};

const isPublic = ({ spec }: Resource): boolean => valueAt(spec, "resourcesVPCConfig.endpointPublicAccess") === true;

/** The addresses that EKS has: all of a public endpoint that names none. They stay when the endpoint becomes private. */
function rememberedAddresses(resource: Resource): string | null {
  const named = addressesOf(resource);
  if (named.length > 0) return named.map(textOf).join(",");
  return isPublic(resource) ? "0.0.0.0/0" : null;
}

/** ACK takes addresses that only EKS has for a difference, and asks for what EKS has already. */
function addressRefusal(resource: Resource): Refusal | null {
  const known = resource.metadata.annotations?.[ADDRESSES];
  const isMade = resource.metadata.annotations?.[RUNNING] !== undefined;
  if (!isMade || addressesOf(resource).length > 0) return null;
  if (known === undefined && !isPublic(resource)) return null;
  const message =
    `Cluster is already at the desired configuration with endpointPrivateAccess: true , endpointPublicAccess: ${String(isPublic(resource))}, ` +
    `and Public Endpoint Restrictions: [${known ?? "0.0.0.0/0"}]`;
  return { code: "InvalidParameterException", message, terminal: false };
}

/** At a creation, ACK writes the addresses into the spec that EKS fills in. */
export const addressWriteBack = (resource: Resource): Record<string, unknown> | null =>
  isPublic(resource) && addressesOf(resource).length === 0
    ? { resourcesVPCConfig: { publicAccessCIDRs: ["0.0.0.0/0"] } }
    : null;

/** The refusal of an existing cluster's fields, in the order in which ACK sends them; null for none. */
export function clusterRefusal(resource: Resource): Refusal | null {
  const isUpgrade = textAt(resource.spec, "version") !== resource.metadata.annotations?.[RUNNING];
  return addressRefusal(resource) ?? eksVersionRefusal(resource) ?? (isUpgrade ? null : autoModeRefusal(resource));
}

/** The annotations for what EKS remembers of a cluster from its creation on. */
export const clusterMemory = (resource: Resource): Record<string, string | null> => ({
  [AUTO_MODE]: resource.metadata.annotations?.[AUTO_MODE] ?? switchesOf(resource),
  [ADDRESSES]: rememberedAddresses(resource),
});
