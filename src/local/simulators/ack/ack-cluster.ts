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

/** The refusal of an existing cluster's fields, in the order in which ACK sends them; null for none. */
export function clusterRefusal(resource: Resource): Refusal | null {
  const isUpgrade = textAt(resource.spec, "version") !== resource.metadata.annotations?.[RUNNING];
  return eksVersionRefusal(resource) ?? (isUpgrade ? null : autoModeRefusal(resource));
}

/** The annotations for what EKS remembers of a cluster from its creation on. */
export const clusterMemory = (resource: Resource): Record<string, string | null> => ({
  [AUTO_MODE]: resource.metadata.annotations?.[AUTO_MODE] ?? switchesOf(resource),
});
