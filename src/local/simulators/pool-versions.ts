import { isObject, textOf } from "../../model/json.ts";
import { askedFault } from "./asked-fault.ts";
import { clusterOf, newGroupRefusal } from "./node-groups.ts";
import { keepsTaints } from "./node-taints.ts";
import { textAt, valueAt } from "./fields.ts";
import type { Lookup, Refusal, Resource } from "./types.ts";

/** Annotation with the version that runs, which EKS would remember: a spec has the wanted one as soon as it is written. */
export const RUNNING = "simulators.landfall.dev/running";

const runningVersion = (resource: Resource | undefined): string | null =>
  resource?.metadata.annotations?.[RUNNING] ?? null;

/** `1.34.4-20261101` -> `1.34` */
export const minorOf = (release: string): string => release.split(".").slice(0, 2).join(".");

/** The whole version that the owner of a pool runs, as its provider says; null while it does not. */
function controlVersion(resource: Resource, lookup: Lookup, { group, kind, name, status }: Control): string | null {
  const { namespace } = resource.metadata;
  const control = lookup({ group, kind, namespace, name: textAt(resource.spec, name) ?? "" });
  return textAt(control?.status, status);
}

/** The fields in which a pool names its cluster, and a cluster its version. */
interface Control {
  group: string;
  kind: string;
  name: string;
  status: string;
}

const AKS: Control = {
  group: "containerservice.azure.com",
  kind: "ManagedCluster",
  name: "owner.name",
  status: "currentKubernetesVersion",
};
const GKE: Control = {
  group: "container.cnrm.cloud.google.com",
  kind: "ContainerCluster",
  name: "clusterRef.name",
  status: "masterVersion",
};

/** `newer-patch`: AKS has another patch since the control plane was made. */
const NEWER_PATCH = "newer-patch";

/** The patch that AKS takes a minor version for: the newest of a new pool, and its own of one that runs it. */
function wholeAks(resource: Resource, wanted: string): string {
  if (minorOf(wanted) !== wanted) return wanted;
  const runs = textAt(resource.status, "currentOrchestratorVersion");
  if (runs !== null && minorOf(runs) === wanted) return runs;
  return `${wanted}.${askedFault(resource) === NEWER_PATCH ? "1" : "0"}`;
}

/** AKS takes no agent pool that is newer than its control plane, also by a patch. The operator gives up after it (status 400). */
export function agentPoolRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const [asked, control] = [textAt(resource.spec, "orchestratorVersion"), controlVersion(resource, lookup, AKS)];
  if (asked === null || control === null) return null;
  const wanted = wholeAks(resource, asked);
  if (wanted === textAt(resource.status, "currentOrchestratorVersion")) return null;
  if (patchNumber(wanted) <= patchNumber(control)) return null;
  const message = `Node pool version ${wanted} and control plane version ${control} are incompatible.`;
  return { code: "NodePoolMcVersionIncompatible", message, terminal: true };
}

/** GKE's whole version for a minor one. */
const whole = (version: string): string => (/-gke\./.test(version) ? version : `${minorOf(version)}.0-gke.100`);

/** The version that a node pool of GKE runs: its own, or its control plane's if it was created without one. */
export function poolVersion(resource: Resource, lookup: Lookup): string {
  const { namespace } = resource.metadata;
  const control = lookup({ ...GKE, namespace, name: textAt(resource.spec, GKE.name) ?? "" });
  return whole(textAt(resource.spec, "version") ?? textAt(control?.status, GKE.status) ?? "1.35");
}

/**
 * Whether Config Connector finds a difference at every look at a node pool: GKE answers a minor version with a whole one. Its Ready is False
 * again and again then; here, it stays so.
 */
export const hasFuzzyVersion = ({ kind, spec }: Resource): boolean =>
  kind === "ContainerNodePool" && /^\d+\.\d+$/.test(textAt(spec, "version") ?? "");

/** GKE takes no node pool that is newer than its control plane. Config Connector tries again. */
export function nodePoolRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const [wanted, running] = [textAt(resource.spec, "version"), controlVersion(resource, lookup, GKE)];
  const control = running && minorOf(running);
  if (wanted === null || control === null || numberOf(wanted) <= numberOf(control)) return null;
  const message = `googleapi: Error 400: Node version "${wanted}" must not have a greater minor version than master version "${control}"., badRequest`;
  return { code: "INVALID", message, terminal: false };
}

/** A version as a number that orders by major and minor. */
export const numberOf = (version: string): number => {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major * 1_000 + minor;
};

/** A version as a number that orders by its patch, too. */
const patchNumber = (version: string): number => numberOf(version) * 1_000 + Number(version.split(".")[2] ?? 0);

/** ACK compares the two versions of a spec before it calls EKS. */
function mismatch(wanted: string, release: string | null): Refusal | null {
  if (release === null || minorOf(release) === wanted) return null;
  const message = `version and release version do not match: ${wanted} and ${minorOf(release)}`;
  return { code: "", message, terminal: true };
}

/** EKS takes no node group that is newer than its control plane. */
function tooNew(wanted: string, control: string | null): Refusal | null {
  if (control === null || numberOf(wanted) <= numberOf(control)) return null;
  const message = `Requested release version ${wanted} is not valid for kubernetes version ${control}.`;
  return { code: "InvalidParameterException", message, terminal: true };
}

/** Annotation with the number of nodes that a Nodegroup has, which EKS would remember. */
export const NODES = "simulators.landfall.dev/nodes";

/** The number of nodes that ACK asks for: where another scales the pool, the number that it has, as EKS says. No one scales it here. */
export function nodegroupNodes({ spec, metadata: { annotations = {} } }: Resource): string | null {
  const has = annotations[NODES];
  const isScaled = annotations["eks.services.k8s.aws/desired-size-managed-by"] === "external-autoscaler";
  if (isScaled && has !== undefined) return has;
  const wanted = valueAt(spec, "scalingConfig.desiredSize");
  return typeof wanted === "number" ? String(wanted) : null;
}

/** EKS takes no limits that exclude the number of nodes that it is asked for. */
function scalingRefusal(resource: Resource): Refusal | null {
  const nodes = nodegroupNodes(resource);
  const [least, most] = ["minSize", "maxSize"].map((field) => valueAt(resource.spec, `scalingConfig.${field}`));
  const code = "InvalidParameterException";
  if (nodes !== null && typeof least === "number" && least > Number(nodes)) {
    const message = `Minimum capacity ${String(least)} can't be greater than desired size ${nodes}`;
    return { code, message, terminal: true };
  }
  if (nodes === null || typeof most !== "number" || most >= Number(nodes)) return null;
  return { code, message: "desiredSize can't be greater than maxSize", terminal: true };
}

/** Most characters of a key of EKS's labels and taints, with its prefix. */
const LONGEST_KEY = 63;

/** EKS takes no longer keys. Its words are assumed. */
function keyRefusal(keys: readonly string[]): Refusal | null {
  const long = keys.find((key) => key.length > LONGEST_KEY);
  if (long === undefined) return null;
  const message = `Invalid value: ${long}: must be no more than ${String(LONGEST_KEY)} characters`;
  return { code: "InvalidParameterException", message, terminal: true };
}

/** EKS takes no labels of its own or of Kubernetes, none without a value, and no long keys of labels and taints. */
function labelRefusal({ spec }: Resource): Refusal | null {
  const { labels, taints } = spec;
  const code = "InvalidParameterException";
  const [keys, values] = isObject(labels) ? [Object.keys(labels), Object.values(labels)] : [[], []];
  const tainted = Array.isArray(taints) ? taints.filter(isObject).map(({ key }) => textOf(key)) : [];
  const tooLong = keyRefusal([...keys, ...tainted]);
  if (tooLong !== null) return tooLong;
  if (keys.some((key) => /^(?:[^/]*\.)?(?:kubernetes\.io|k8s\.io|eks\.amazonaws\.com)\//.test(key))) {
    const message = "Label cannot contain reserved prefixes [kubernetes.io/, k8s.io/, eks.amazonaws.com/]";
    return { code, message, terminal: true };
  }
  if (!values.includes("")) return null;
  const message =
    "Invalid value:  : field must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  return { code, message, terminal: true };
}

/**
 * The reason for which ACK itself or EKS refuses a Nodegroup's labels, limits or version; null for none. Both are terminal for ACK: it acts again
 * only when the spec changes. docs/internals/operators.md has the sources.
 */
export function nodegroupRefusal(resource: Resource, lookup: Lookup): Refusal | null {
  const isNew = textAt(resource.status, "ackResourceMetadata.arn") === null;
  const own = (isNew ? newGroupRefusal(resource, lookup) : null) ?? labelRefusal(resource) ?? scalingRefusal(resource);
  if (own !== null) return own;
  const [wanted, running] = [textAt(resource.spec, "version"), runningVersion(resource)];
  // ACK comes to the version when the taints are as its spec says.
  if (wanted === null || wanted === running || keepsTaints(resource)) return null;
  const control = runningVersion(clusterOf(resource, lookup));
  const release = running === null ? null : textAt(resource.spec, "releaseVersion");
  return mismatch(wanted, release) ?? tooNew(wanted, control);
}

/** The release of a new node group; ACK writes it into the spec once, when the group is there. */
export const releaseWriteBack = ({ spec }: Resource): Record<string, unknown> | null =>
  spec["releaseVersion"] === undefined ? { releaseVersion: `${textAt(spec, "version") ?? "1.35"}.4-20261101` } : null;
