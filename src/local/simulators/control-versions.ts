import { askedFault } from "./asked-fault.ts";
import { minorOf, numberOf, RUNNING } from "./pool-versions.ts";
import { textAt } from "./fields.ts";
import type { Refusal, Resource } from "./types.ts";

// The answers of providers and their operators to the version of a control plane that is there. docs/internals/operators.md has the sources.

/** The provider refuses each upgrade. */
const REFUSED = "upgrade-refused";
/** `upgraded-to-1.35`: the provider has upgraded the cluster itself, as EKS does at the end of a version's support. */
const UPGRADED_TO = "upgraded-to-";

const isOlder = (one: string, other: string): boolean => numberOf(one) < numberOf(other);

const refusesUpgrades = (resource: Resource): boolean => askedFault(resource) === REFUSED;

/** The version that EKS runs; null for a cluster that it has not made. */
function eksRuns(resource: Resource): string | null {
  const runs = resource.metadata.annotations?.[RUNNING] ?? null;
  const fault = askedFault(resource) ?? "";
  if (runs === null || !fault.startsWith(UPGRADED_TO)) return runs;
  const upgraded = fault.slice(UPGRADED_TO.length);
  return isOlder(runs, upgraded) ? upgraded : runs;
}

/** ACK compares with what EKS runs before it asks for an upgrade, and tries again what EKS refuses for its insights. */
export function eksVersionRefusal(resource: Resource): Refusal | null {
  const [wanted, runs] = [textAt(resource.spec, "version"), eksRuns(resource)];
  if (wanted === null || runs === null || wanted === runs) return null;
  if (isOlder(wanted, runs)) {
    const message = `desired cluster version is less than the observed version: ${wanted} < ${runs}`;
    return { code: "", message, terminal: true };
  }
  if (!refusesUpgrades(resource)) return null;
  const message =
    "Upgrade readiness issues detected. Call the EKS ListInsights API to view upgrade blocking issues detected by EKS. " +
    "Pass the force flag to override upgrade readiness errors and proceed with upgrade.";
  return { code: "InvalidStateException", message, terminal: false };
}

/** `pods-stay`: a PodDisruptionBudget keeps the Pods of old nodes. */
const PODS_STAY = "pods-stay";

/**
 * Whether EKS never finishes an update of a node group's version: it fails with PodEvictionFailure, the group is ACTIVE with its old version,
 * and ACK begins the same update again.
 */
export function keepsOldNodes(resource: Resource): boolean {
  const runs = resource.metadata.annotations?.[RUNNING];
  return askedFault(resource) === PODS_STAY && runs !== undefined && textAt(resource.spec, "version") !== runs;
}

/** AKS takes no older version, and not each newer one: the operator gives up after both (status 400). Its words about an older one are assumed. */
export function aksVersionRefusal({ spec, status, ...resource }: Resource): Refusal | null {
  const wanted = textAt(spec, "kubernetesVersion");
  const runs = textAt(status, "currentKubernetesVersion");
  if (wanted === null || runs === null) return null;
  if (isOlder(wanted, runs)) {
    const message = `Downgrading the managed cluster from version ${runs} to ${wanted} is not allowed.`;
    return { code: "InvalidParameter", message, terminal: true };
  }
  if (!isOlder(runs, wanted) || !refusesUpgrades({ ...resource, spec })) return null;
  const message = `Managed cluster is on version ${runs}, which cannot be upgraded to ${wanted}.`;
  return { code: "K8sVersionNotSupported", message, terminal: true };
}

/** GKE refuses a version that its channel does not have, and Config Connector tries again. */
export function gkeVersionRefusal(resource: Resource): Refusal | null {
  const [wanted, runs] = [textAt(resource.spec, "minMasterVersion"), textAt(resource.status, "masterVersion")];
  if (wanted === null || runs === null || !isOlder(runs, wanted) || !refusesUpgrades(resource)) return null;
  const channel = textAt(resource.spec, "releaseChannel.channel") ?? "REGULAR";
  const message = `googleapi: Error 400: Master version must be one of "${channel}" channel supported versions [${runs}]., badRequest`;
  return { code: "INVALID", message, terminal: false };
}

/** The version of GKE's control plane: Config Connector sends no version below the one that runs. */
export function gkeMasterVersion({ spec, status }: Resource): string {
  const [wanted, runs] = [textAt(spec, "minMasterVersion") ?? "1.35", textAt(status, "masterVersion")];
  return runs !== null && !isOlder(minorOf(runs), wanted) ? runs : `${wanted}.0-gke.100`;
}
