import { ANNOTATION } from "../../../model/names.ts";
import { conditionsOf, groupKindOf } from "../../../model/kubernetes.ts";
import { COMPLETIONS } from "../../../model/runs/run-of.ts";
import type { RunRecord } from "../../../model/runs/run-record.ts";
import { parseTime, readTime } from "../../../model/time.ts";
import { valueAt } from "../../managed/read-awaits.ts";
import { MACHINE_PATHS } from "../../status/machine-paths.ts";
import { classOf } from "../../status/provider/error-classes.ts";
import { endpointOf, isMadeCluster } from "../../status/cluster-paths.ts";
import { isControlPlane } from "../../status/cluster-status.ts";
import { readiness } from "../../status/readiness.ts";
import { idIn, MOST } from "../../status/status-limits.ts";
import type { Resource } from "../../types.ts";
import type { RunSign } from "../state/next-run-step.ts";
import type { CompositionContext } from "../../context/composition-context.ts";

interface MachineRule {
  group: string;
  kind: string;
  /** The path of the provider's own word for the state, below status. */
  path: string;
  /** Words for a machine that no longer runs. */
  over: readonly string[];
  /** Those of them for one that is deleted at its provider, with its disks; omitted for none. */
  gone?: readonly string[];
  /** The word for one that runs; omitted where the operator does not report the state. */
  on?: string;
  /** The path of the provider's id, below status, if the operator creates another machine for one that is gone. */
  recreated?: string;
  /** Whether the id counts only of a spot machine: another one is then distinguished from a repair. */
  onlySpot?: boolean;
  /** The path of the time since which the provider has it, below status. */
  created?: string;
  /** The path of the provider's word for why it no longer runs, below status: it holds the time. */
  stopped?: string;
  /** The field of spec, and its value, of a machine that the provider may take back. */
  spot?: readonly [path: string, value: string];
}

/** Azure's operator does not report the power state (catalog/operations.json): of a spot machine that is gone, only another id shows. */
const MACHINES: readonly MachineRule[] = [
  {
    ...{ group: "ec2.services.k8s.aws", kind: "Instance", path: "state.name", recreated: "instanceID" },
    ...{ created: "launchTime", stopped: "stateTransitionReason" },
    spot: ["instanceMarketOptions.marketType", "spot"],
    ...{ over: ["shutting-down", "terminated", "stopping", "stopped"], on: "running" },
    gone: ["shutting-down", "terminated"],
  },
  {
    ...{ group: "compute.cnrm.cloud.google.com", kind: "ComputeInstance", path: "currentStatus" },
    spot: ["scheduling.provisioningModel", "SPOT"],
    ...{ over: ["STOPPING", "STOPPED", "SUSPENDING", "SUSPENDED", "TERMINATED"], on: "RUNNING" },
  },
  {
    ...{ group: "compute.azure.com", kind: "VirtualMachine", path: "instanceView", recreated: "vmId", over: [] },
    ...{ onlySpot: true, created: "timeCreated" },
    spot: ["priority", "Spot"],
  },
  {
    group: "elemento.landfall.dev",
    kind: "ElementoVm",
    path: "state",
    over: ["gone", "off"],
    on: "running",
    gone: ["gone"],
  },
];

const ruleOf = ({ apiVersion, kind }: Resource): MachineRule | undefined =>
  MACHINES.find((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`));

const wordOf = (resource: Resource, { path }: MachineRule): unknown => valueAt(resource, `status.${path}`);

/** The provider's word for the state of a machine that no longer runs; null for any other resource or state. */
export function machineOver(resource: Resource): string | null {
  const rule = ruleOf(resource);
  const word = rule === undefined ? null : wordOf(resource, rule);
  return typeof word === "string" && rule?.over.includes(word) === true ? word : null;
}

export const isMachine = (resource: Resource): boolean => ruleOf(resource) !== undefined;

/** Whether its provider says that a machine is deleted, or that it is being deleted. */
export const isDeletedMachine = (resource: Resource): boolean =>
  ruleOf(resource)?.gone?.some((word) => word === machineOver(resource)) === true;

/** Whether a machine runs, by its provider's word; null where its operator does not report one. */
export function machineRuns(resource: Resource): boolean | null {
  const rule = ruleOf(resource);
  return rule?.on === undefined ? null : wordOf(resource, rule) === rule.on;
}

/** The provider's word for the state of a machine that runs; null for any other resource or state. */
export function machineOn(resource: Resource): string | null {
  const rule = ruleOf(resource);
  const word = rule === undefined || rule.over.length === 0 ? null : wordOf(resource, rule);
  return typeof word === "string" && rule?.over.includes(word) === false ? word : null;
}

/** Whether this is a machine that its provider has not made, or has no more. */
export const hasNoId = (resource: Resource): boolean => {
  const { id } = MACHINE_PATHS[groupKindOf(resource)] ?? {};
  return id !== undefined && idIn(valueAt(resource, id)) === null;
};

function sinceOf(machine: Resource): number | null {
  const created = ruleOf(machine)?.created;
  const known = created === undefined ? null : readTime(valueAt(machine, `status.${created}`));
  const ready = conditionsOf(machine).find(({ type, status }) => type === "Ready" && status === "True");
  return known ?? readTime(ready?.lastTransitionTime);
}

/** Since when the machine among these resources is there, in seconds since 1970: as its provider says, or since its operator calls it ready. Null if neither says it. */
export function machineSince(live: readonly Resource[]): number | null {
  return (
    live
      .filter(isMachine)
      .map(sinceOf)
      .find((time) => time !== null) ?? null
  );
}

/** AWS writes it as "User initiated (2026-11-23 09:00:00 GMT)". */
function timeIn(word: unknown): number | null {
  const text = typeof word === "string" ? word : "";
  const [, day = "", time = ""] = /\((\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (?:GMT|UTC)\)/.exec(text) ?? [];
  return parseTime(`${day}T${time}Z`);
}

/** Since when the machine among these resources no longer runs, in seconds since 1970, as its provider says. Null if it does not say it. */
export function machineOffSince(live: readonly Resource[]): number | null {
  const machine = live.find((one) => machineOver(one) !== null);
  const path = machine && ruleOf(machine)?.stopped;
  return machine === undefined || path === undefined ? null : timeIn(valueAt(machine, `status.${path}`));
}

/** The machine among these resources, if its operator would create another one for it, or the cluster; null otherwise. A long id would not fit into the record. */
export function machineOf(live: readonly Resource[]): RunRecord["machine"] {
  for (const resource of live) {
    const { recreated, onlySpot = false } = ruleOf(resource) ?? {};
    const id =
      recreated === undefined || (onlySpot && !isSpot(resource))
        ? null
        : idIn(valueAt(resource, `status.${recreated}`));
    if (id !== null) return { uid: resource.metadata.uid ?? "", id };
  }
  return clusterIn(live);
}

/** The cluster among these resources, with the beginning of its endpoint that fits into the record; null for none. */
function clusterIn(live: readonly Resource[]): RunRecord["machine"] {
  const [cluster] = live.filter(isMadeCluster);
  return cluster ? { uid: cluster.metadata.uid ?? "", id: (endpointOf(cluster) ?? "").slice(0, MOST.id) } : null;
}

/** ACK creates an instance again that is terminated. A resource that was itself created again says nothing. */
function isAnother(before: RunRecord["machine"], live: readonly Resource[]): boolean {
  const now = live.some(isControlPlane) ? null : machineOf(live);
  return before !== null && now?.uid === before.uid && now.id !== before.id;
}

/** Whether the provider may take this machine back. */
export function isSpot(resource: Resource): boolean {
  const { spot } = ruleOf(resource) ?? {};
  return spot !== undefined && valueAt(resource, `spec.${spot[0]}`) === spot[1];
}

/** Whether this is a spot machine for which its provider has none: its operator creates it again, and may still show the last state of the one that was taken back. */
export const isSoldOutSpot = (resource: Resource): boolean => isSpot(resource) && isSoldOut(resource);

/** Whether its provider has no machine of its size to create it. */
export function isSoldOut(resource: Resource): boolean {
  if (isResized(resource)) return false;
  const { capacity, terminal, reason } = readiness(resource);
  // Azure's operator gives up for some of its codes about capacity.
  return capacity || (terminal && classOf("azure", reason) === "capacity");
}

/** Whether a machine at Azure has another size than it asks for: its provider refuses the new one, and it works on. */
function isResized(resource: Resource): boolean {
  const has = valueAt(resource, "status.hardwareProfile.vmSize");
  return typeof has === "string" && has !== valueAt(resource, "spec.hardwareProfile.vmSize");
}

/**
 * Whether the provider took the spot machine of this run back. The operators do not report why a machine ended: one that ends before
 * its run is over, and whose completion no one reported, counts as evicted. So does one that was there, and that the provider has none for.
 */
export function wasEvicted(object: Resource, record: RunRecord, live: readonly Resource[]): boolean {
  if (!live.some(isSpot)) return false;
  const sign = signOf(object, record, live);
  return sign === null ? record.wasReady && live.some(isSoldOutSpot) : sign.by === "provider";
}

/** The signs of others about the run of this object; `live` are its resources. A machine that was never ready is not over. */
export function signOf(
  object: Resource,
  { wasReady, machine, reported }: RunRecord,
  live: readonly Resource[],
): RunSign | null {
  if (reported) return { by: "machine", outcome: reported.exitCode === 0 ? "succeeded" : "failed" };
  const written = COMPLETIONS.find((word) => word === object.metadata.annotations?.[ANNOTATION.completed]);
  if (written !== undefined) return { by: "annotation", outcome: written };
  const isOver = live.some((resource) => machineOver(resource) !== null) || isAnother(machine ?? null, live);
  return wasReady && isOver ? { by: "provider", outcome: "unknown" } : null;
}

/** The resources of the release of the object with this uid, as they are known now. */
export const liveResources = ({ releases, managed }: CompositionContext, uid: string): Resource[] =>
  (releases.get(uid)?.objects ?? []).map((object) => managed.get(object) ?? null).filter((live) => live !== null);
