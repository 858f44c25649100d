import { ANNOTATION } from "../../model/names.ts";
import type { RunRecord } from "../../model/run-record.ts";
import type { Resource } from "../types.ts";
import type { RunSign } from "./next-run-step.ts";

/** A value at a dotted path of a status. */
const at = (status: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], status);

interface MachineRule {
  group: string;
  kind: string;
  /** Where the provider's own word for the state is, below status. */
  path: string;
  /** Words for a machine that no longer runs. */
  over: readonly string[];
}

/** Azure's operator does not report the power state: see catalog/operations.json. */
const MACHINES: readonly MachineRule[] = [
  {
    ...{ group: "ec2.services.k8s.aws", kind: "Instance", path: "state.name" },
    over: ["shutting-down", "terminated", "stopping", "stopped"],
  },
  {
    ...{ group: "compute.cnrm.cloud.google.com", kind: "ComputeInstance", path: "currentStatus" },
    over: ["STOPPING", "STOPPED", "TERMINATED"],
  },
  { group: "elemento.landfall.dev", kind: "ElementoVm", path: "state", over: ["gone", "off"] },
];

/** The provider's word for the state of a machine that no longer runs; null for any other resource or state. */
export function machineOver({ apiVersion, kind, status }: Resource): string | null {
  const rule = MACHINES.find((one) => one.kind === kind && apiVersion.startsWith(`${one.group}/`));
  const word = rule === undefined ? null : at(status, rule.path);
  return typeof word === "string" && rule?.over.includes(word) === true ? word : null;
}

/** What is written into `landfall.dev/completed`. */
export const COMPLETED = ["succeeded", "failed"] as const;

/** What others say of the run of this object; `live` are its resources. A machine that was never ready is not over. */
export function signOf(object: Resource, { wasReady }: RunRecord, live: readonly Resource[]): RunSign | null {
  const reported = COMPLETED.find((word) => word === object.metadata.annotations?.[ANNOTATION.completed]);
  if (reported !== undefined) return { by: "annotation", outcome: reported };
  const isOver = wasReady && live.some((resource) => machineOver(resource) !== null);
  return isOver ? { by: "provider", outcome: "unknown" } : null;
}
