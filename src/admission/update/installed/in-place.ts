import { abilitiesOf, type Operation } from "../../../model/places/operations.ts";
import type { WorkloadObject, WrittenField } from "../../../model/workload.ts";
import type { DecisionRequest } from "../../types.ts";
import { bare, type Change, specOf } from "../change.ts";
import { installedSize, runningWorkloads } from "./running-workloads.ts";
import { type Condition, conditionsOf } from "../../../model/kubernetes.ts";
import { isObject } from "../../../model/json.ts";
import { listOf, within } from "./rendered.ts";
import { table } from "../../../model/table.ts";

const DISKS = ["osDisk.sizeGiB", "osDisk.type", "disks", "disks.type", "disks.deletionPolicy"];

const TYPE = ["instanceType", "cpu", "memory"];

/**
 * The fields that an error is about, by its code. Only a creation fails with these: EC2's RunInstances
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html), and a machine of Azure or Google Cloud whose image does
 * not exist. `OptInRequired` is the answer for an image of the Marketplace that the account has not subscribed to.
 */
const BY_CODE: Readonly<Record<string, readonly string[]>> = table({
  "InvalidAMIID.Malformed": ["image"],
  "InvalidAMIID.NotFound": ["image"],
  "InvalidAMIID.Unavailable": ["image"],
  GalleryImageNotFound: ["image"],
  ImageForbidden: ["image"],
  ImageNotFound: ["image"],
  PlatformImageNotFound: ["image"],
  OptInRequired: ["image"],
  InvalidBlockDeviceMapping: DISKS,
  "InvalidSnapshot.NotFound": DISKS,
  MaxIOPSLimitExceeded: DISKS,
  VolumeLimitExceeded: DISKS,
  InstanceLimitExceeded: TYPE,
  InsufficientInstanceCapacity: TYPE,
  InvalidInstanceType: TYPE,
  "InvalidInstanceType.NotFound": TYPE,
  Unsupported: TYPE,
  VcpuLimitExceeded: TYPE,
  "InvalidUserData.Malformed": ["userData", "sshPublicKey"],
  SpotMaxPriceTooLow: ["maxPrice"],
});

/**
 * Errors of Azure and Google about a machine's type, which also a running machine's resize can fail with: they count while the object's
 * status has no id of a machine.
 */
const OF_TYPE: ReadonlySet<string> = new Set([
  ...["AllocationFailed", "OverconstrainedAllocationRequest", "OverconstrainedZonalAllocationRequest"],
  ...["QuotaExceeded", "SkuNotAvailable", "ZonalAllocationFailed"],
  ...["QUOTA_EXCEEDED", "STOCKOUT", "ZONE_RESOURCE_POOL_EXHAUSTED", "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"],
]);

/** The same of Azure, by its words: this code has another meaning. */
const QUOTA_OF_TYPE = /^VirtualMachine [\w.-]{1,253}: OperationNotAllowed: .{0,500}?\bquotas?\b/i;

/** `Instance web: InvalidUserData.Malformed: …`, as the composition controller writes it. */
const CODE = /^(?:Instance|VirtualMachine|ComputeInstance) [\w.-]{1,253}: ([\w.]{1,100}?)(?:: |$)/;

/**
 * Azure did not grow a disk, because the machine runs. Its user can set the size back, which is smaller than what the object says. The
 * words tell it from other meanings of the same code (kubernetes/kubernetes, issue 96706; MicrosoftDocs/azure-docs, issue 94452).
 */
const NOT_GROWN =
  /^(?:VirtualMachine|Disk) [\w.-]{1,253}: OperationNotAllowed: .{0,200}?\b(?:resize disk|disk property)\b/i;

/**
 * Errors of a creation whose code has other meanings, by their words: a system disk that is smaller than its image (scalar-labs/scalar-terraform,
 * issue 230; NixOS/nixops, issue 1072), a login key of a type that Azure does not take (hashicorp/terraform-provider-azurerm, issue 5605), an image that the
 * account cannot use (Orange-Cyberdefense/GOAD, issue 304), or whose architecture its type does not have (skypilot-org/skypilot, issue 6315).
 */
const BY_WORDS: readonly (readonly [machine: string, words: string, fields: readonly string[]])[] = [
  ["VirtualMachine", "smaller than the size of the corresponding disk in the VM image", ["osDisk.sizeGiB", "image"]],
  ["ComputeInstance", "disk size cannot be smaller than the image size", ["osDisk.sizeGiB", "image"]],
  ["VirtualMachine", "publicKeys.keyData", ["sshPublicKey"]],
  ["Instance", "Not authorized for images", ["image"]],
  ["Instance", "of the specified AMI", ["image", ...TYPE]],
];

/** The fields of errors that a running machine can meet as well. */
function ofCreation(message: string): readonly string[] {
  const byWords = BY_WORDS.find(([kind, words]) => message.startsWith(`${kind} `) && message.includes(words));
  if (byWords !== undefined) return byWords[2];
  return OF_TYPE.has(CODE.exec(message)?.[1] ?? "") || QUOTA_OF_TYPE.test(message) ? TYPE : [];
}

/** Whether the controller has seen a machine at the provider. */
const hasMachineId = (status: unknown): boolean => typeof within(within(status, "machine"), "id") === "string";

/**
 * The fields of an installed machine that may still change, although they are fixed once it is there: none was made, or its disk did not
 * grow, and its provider says that they are the reason.
 */
export function correctableFields({ status }: { status?: unknown }): readonly string[] {
  const ready = isObject(status) ? conditionsOf({ status }).find(({ type }) => type === "Ready") : undefined;
  if (ready?.status !== "False") return [];
  if (NOT_GROWN.test(ready.message)) return ["osDisk.sizeGiB", "disks"];
  const always = BY_CODE[CODE.exec(ready.message)?.[1] ?? ""];
  return always ?? (hasMachineId(status) ? [] : ofCreation(ready.message));
}

const readyOf = ({ status }: WorkloadObject): Condition | undefined =>
  conditionsOf(isObject(status) ? { status } : {}).find(({ type }) => type === "Ready");

/** The message of its condition Ready; empty without one. */
export const readyMessage = (object: WorkloadObject): string => readyOf(object)?.message ?? "";

/**
 * Whether the object has no machine now that a change could meet, because its provider has none for it. The record of its run says that
 * it has none, since others can write a status.
 */
export function lacksMachine({ update, context }: Pick<Change, "update" | "context">): boolean {
  const ready = readyOf(update.oldObject);
  const isSoldOut = ready?.status === "False" && ready.reason === "ProviderCapacity";
  return isSoldOut && context.owners.lacksMachine(update.oldObject);
}

/** The reason why such a run has to stay in its place; null if there is none. A data disk stays where it is, or is lost. */
export function boundBy({ spec = {} }: WorkloadObject): string | null {
  if (listOf(spec["disks"]).length > 0) return "it has data disks there";
  const network = isObject(spec["network"]) ? spec["network"] : {};
  return network["existing"] === undefined ? null : "its network is there";
}

/** The reason why such a run has to stay in its zone. A network of AWS has its subnet in one; that of Google Cloud is in the region. */
export function boundToZone({ spec = {} }: WorkloadObject): string | null {
  const { network: _regional, ...others } = spec;
  return boundBy({ spec: spec["provider"] === "gcp" ? others : spec } as WorkloadObject);
}

/** Fields that stay as they were decided. */
export type Pins = Partial<Record<WrittenField, unknown>>;

/** The provider's operation for a new instance type on a running machine. */
export const resizeOf = ({ earlier }: Change): Operation =>
  abilitiesOf("VmTemplate", earlier.placement.provider).operations.resize;

/** Whether there is no machine that has a type, as its controller says. */
const hasNone = (change: Change): boolean =>
  lacksMachine(change) || correctableFields(change.update.oldObject).includes("instanceType");

/** Whether the machine may get another type: its provider changes it in place, or there is no machine that has one. */
export const mayResize = (change: Change): boolean => resizeOf(change).can || hasNone(change);

/** The type from which the machine is changed: its provider may change it into some others only. Nothing where it is created. */
export const resizedFrom = (change: Change): Pick<DecisionRequest, "resizesFrom"> =>
  change.update.kind === "VmTemplate" && resizeOf(change).can && !hasNone(change)
    ? { resizesFrom: change.earlier.placement.instanceType }
    : {};

/** A change of an object that runs: budgets limit only what it adds. */
export function requestFor(change: Change, pins: Pins): DecisionRequest {
  const { context, update } = change;
  const about = { kind: update.kind, object: bare(change), operation: "UPDATE" } as const;
  return {
    ...context,
    ...about,
    installed: installedSize(change),
    started: true,
    running: runningWorkloads(change),
    pins,
  };
}

/** Whether Landfall writes the type: the user never set one, or has removed it, which cannot change a machine that keeps its type. */
function isTypeOpen(change: Change): boolean {
  const { kept, update } = change;
  return kept.includes("instanceType") || (specOf(update.object)["instanceType"] === undefined && !mayResize(change));
}

/** The end of what runs already, if its user says none: a default of its namespace or platform that came later destroys nothing. */
export const keptEnd = (change: Change): Pins =>
  specOf(bare(change))["whenDone"] === undefined ? { whenDone: change.values.whenDone ?? "keep" } : {};

/** The values that the earlier decision fixes: the place and the start always, the type where the size or the provider keeps it. */
export function pinsOf(change: Change, keepsType: boolean): Pins {
  const { earlier, values } = change;
  const { provider, region, zone, image, start, instanceType, capacityType } = earlier.placement;
  const place: Pins = { provider, schedulingLocation: region, schedulingTime: start };
  const { instanceType: decidedType, ...rest } = values;
  const pins: Pins = { ...rest, ...place, ...keptEnd(change) };
  if (zone !== null) pins.zone = zone;
  if (image !== null) pins.image = image;
  if (capacityType !== undefined) pins.capacityType = capacityType;
  if (keepsType && isTypeOpen(change)) pins.instanceType = decidedType ?? instanceType;
  return pins;
}
