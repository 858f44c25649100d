import { conditionsOf } from "../../model/conditions.ts";
import { isObject } from "../../model/json.ts";

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
 * The fields of an installed machine that may still change, although they are fixed once it is there: none was made, and its provider
 * says that they are the reason.
 */
export function correctableFields({ status }: { status?: unknown }): readonly string[] {
  const ready = isObject(status) ? conditionsOf({ status }).find(({ type }) => type === "Ready") : undefined;
  const code = ready?.status === "False" ? CODE.exec(ready.message)?.[1] : undefined;
  return (code === undefined ? undefined : BY_CODE[code]) ?? [];
}
