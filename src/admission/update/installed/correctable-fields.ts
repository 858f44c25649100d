import { conditionsOf } from "../../../model/conditions.ts";
import { isObject } from "../../../model/json.ts";

const DISKS = ["osDisk.sizeGiB", "osDisk.type", "disks", "disks.type", "disks.deletionPolicy"];

const TYPE = ["instanceType", "cpu", "memory"];

/**
 * The fields that an error is about, by its code. Only a creation fails with these: EC2's RunInstances
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html), and a machine of Azure or Google Cloud whose image does
 * not exist. `OptInRequired` is the answer for an image of the Marketplace that the account has not subscribed to.
 */
const BY_CODE: Readonly<Record<string, readonly string[]>> = {
  "InvalidAMIID.Malformed": ["image"],
  "InvalidAMIID.NotFound": ["image"],
  "InvalidAMIID.Unavailable": ["image"],
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
};

/** `Instance web: InvalidUserData.Malformed: …`, as the composition controller writes it. */
const CODE = /^(?:Instance|VirtualMachine|ComputeInstance) [\w.-]{1,253}: ([\w.]{1,100}?)(?:: |$)/;

/**
 * Azure did not grow a disk, because the machine runs. Its user can set the size back, which is smaller than what the object says. The
 * words tell it from other meanings of the same code (kubernetes/kubernetes, issue 96706; MicrosoftDocs/azure-docs, issue 94452).
 */
const NOT_GROWN =
  /^(?:VirtualMachine|Disk) [\w.-]{1,253}: OperationNotAllowed: .{0,200}?\b(?:resize disk|disk property)\b/i;

/**
 * The fields of an installed machine that may still change, although they are fixed once it is there: none was made, or its disk did not
 * grow, and its provider says that they are the reason.
 */
export function correctableFields({ status }: { status?: unknown }): readonly string[] {
  const ready = isObject(status) ? conditionsOf({ status }).find(({ type }) => type === "Ready") : undefined;
  if (ready?.status !== "False") return [];
  if (NOT_GROWN.test(ready.message)) return ["osDisk.sizeGiB", "disks"];
  const code = CODE.exec(ready.message)?.[1];
  return (code === undefined ? undefined : BY_CODE[code]) ?? [];
}
