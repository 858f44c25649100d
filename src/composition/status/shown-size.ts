import { groupKindOf } from "../../model/kubernetes.ts";
import { table } from "../../model/table.ts";
import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import { valueAt } from "../managed/read-awaits.ts";
import type { Resource } from "../types.ts";
import { MACHINE_PATHS } from "./machine-paths.ts";
import { isRefused, readiness } from "./readiness.ts";
import type { Found } from "./retry-times.ts";

/** How an operator's object says where and how large a machine, or a cluster, is at its provider. */
interface Shown {
  provider: string;
  /** A path to the region, the zone, or a link that holds one; omitted where the operator does not say it. */
  region?: string;
  /** The type that is asked for, and the one that the provider says; omitted where a machine's type never changes in place. */
  type?: { asked: string; said?: string };
  /** A cluster changes by its pools. */
  pools?: true;
}

/**
 * By `group/Kind`. Read from the types of Azure Service Operator (`VirtualMachine_STATUS`, `ManagedCluster_STATUS`), of the ACK runtime, whose
 * `regionDrifted` refuses another region than the one in the status, and of Config Connector (`status.selfLink`).
 */
const SHOWN: Readonly<Record<string, Shown>> = table({
  "compute.azure.com/VirtualMachine": {
    provider: "azure",
    region: "status.location",
    type: { asked: "spec.hardwareProfile.vmSize", said: "status.hardwareProfile.vmSize" },
  },
  "ec2.services.k8s.aws/Instance": { provider: "aws", region: "status.ackResourceMetadata.region" },
  "compute.cnrm.cloud.google.com/ComputeInstance": {
    provider: "gcp",
    region: "status.selfLink",
    type: { asked: "spec.machineType" },
  },
  "elemento.landfall.dev/ElementoVm": { provider: "elemento" },
  "containerservice.azure.com/ManagedCluster": { provider: "azure", region: "status.location", pools: true },
  "eks.services.k8s.aws/Cluster": { provider: "aws", region: "status.ackResourceMetadata.region", pools: true },
  "container.cnrm.cloud.google.com/ContainerCluster": { provider: "gcp", region: "status.selfLink", pools: true },
  "elemento.landfall.dev/ElementoKaas": { provider: "elemento", pools: true },
});

const shownBy = (live: Resource): Shown | undefined => SHOWN[groupKindOf(live)];

/** Whether an operator's objects of this `group/Kind` are machines or clusters. */
export const isMachine = (groupKind: string): boolean => SHOWN[groupKind] !== undefined;

/** The objects of a release that are a machine or a cluster; all that it has, for a chart of one's own. Null if one of them is not there. */
export function machinesOf(found: readonly Found[]): Resource[] | null {
  const known = found.filter((one) => SHOWN[groupKindOf(one)] !== undefined);
  const machines = (known.length > 0 ? known : found).map(({ live }) => live);
  return machines.every((live) => live !== null) ? machines : null;
}

const SCOPE = /\/(?:zones|regions|locations)\/([a-z0-9-]+)/;

/** The place that a machine's provider says; null if it says none. */
function placeOf(live: Resource): string | null {
  const { provider, region } = shownBy(live) ?? {};
  const value = region === undefined ? null : valueAt(live, region);
  if (provider === undefined || typeof value !== "string") return null;
  // A link names a zone or a region; Azure writes some regions as a title.
  const found = (SCOPE.exec(value)?.[1] ?? value).toLowerCase().replaceAll(" ", "");
  return `${provider}/${provider === "gcp" ? found.replace(/-[a-z]$/, "") : found}`;
}

/** Whether the provider has made the machine as its object asks: the object is ready as it is now, and says the type that it asks for. */
function isAsAsked(live: Resource, { asked, said }: { asked: string; said?: string }): boolean {
  if (!readiness(live).ready) return false;
  return said === undefined || valueAt(live, said) === valueAt(live, asked);
}

/** Whether there is a machine, or may be one soon: only one that its provider refuses to make is not there. */
export function isMade(live: Resource): boolean {
  const { id } = MACHINE_PATHS[groupKindOf(live)] ?? {};
  return id === undefined || valueAt(live, id) !== null || !isRefused(live);
}

/** ACK's conditions name no generation: one that is ready has possibly not seen its last change, so many seconds after it. */
const UNSEEN_SECONDS = 30;

/** The release that an operator's object belongs to now. */
interface Present {
  place: string;
  /** Whether all of its resources are ready, as they are now. */
  isReady: boolean;
  /** Since its last change. */
  seconds: number;
}

/**
 * Whether an operator's object may still run this size, which another one replaced. It does not if its provider says another place, or,
 * in the place of the present release, that it is as its object asks by now.
 */
export function mayRun(live: Resource, { place }: RunningSize, present: Present): boolean {
  const { type, pools } = shownBy(live) ?? { pools: true };
  const said = placeOf(live);
  if (said !== null && said !== place) return false;
  if (place !== present.place) return true;
  if (pools === true) return !present.isReady || present.seconds < UNSEEN_SECONDS;
  return type === undefined || !isAsAsked(live, type);
}
