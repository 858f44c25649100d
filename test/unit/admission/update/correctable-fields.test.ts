import { expect, it } from "vitest";
import { correctableFields } from "../../../../src/admission/update/installed/in-place.ts";

it.each([
  "VirtualMachine web: SkuNotAvailable: The requested VM size 'Standard_D2als_v6' is not available in location 'x'.",
  "VirtualMachine web: ZonalAllocationFailed: no",
  "VirtualMachine web: OperationNotAllowed: exceeding approved Total Regional Cores quota",
  "ComputeInstance web: ZONE_RESOURCE_POOL_EXHAUSTED: no [REL_PROVIDER_CAPACITY]",
])("the type, while the status has no machine that a resize could have failed for: %s", (message) => {
  const conditions = [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }];
  expect(correctableFields({ status: { conditions } })).toEqual(["instanceType", "cpu", "memory"]);
  expect(correctableFields({ status: { conditions, machine: { id: "8d0c5f1a" } } })).toEqual([]);
  const ready = conditions.map((condition) => ({ ...condition, status: "True" }));
  expect(correctableFields({ status: { conditions: ready } })).toEqual([]);
});

it("none after an error about another resource, or about what a running machine cannot do", () => {
  for (const message of [
    "Disk web-data: SkuNotAvailable: no",
    "VirtualMachine web: OperationNotAllowed: changing from resource disk to non-resource disk is not allowed",
  ]) {
    const conditions = [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }];
    expect(correctableFields({ status: { conditions } })).toEqual([]);
  }
});

const TOO_SMALL =
  "The specified disk size 10 GB is smaller than the size of the corresponding disk in the VM image: 30 GB.";
const GOOGLE_DISK = "Invalid value for field 'resource.disks[0].initializeParams.diskSizeGb': '10'.";
const ARCHITECTURE =
  "The architecture 'x86_64' of the specified instance type does not match the architecture 'arm64' of the specified AMI.";

it.each([
  [`VirtualMachine web: OperationNotAllowed: ${TOO_SMALL}`, ["osDisk.sizeGiB", "image"]],
  [
    `ComputeInstance web: Invalid: ${GOOGLE_DISK} Requested disk size cannot be smaller than the image size (50 GB)`,
    ["osDisk.sizeGiB", "image"],
  ],
  [
    "VirtualMachine web: InvalidParameter: The value of parameter linuxConfiguration.ssh.publicKeys.keyData is invalid.",
    ["sshPublicKey"],
  ],
  ["Instance web: AuthFailure: Not authorized for images: [ami-0123456789abcdef0]", ["image"]],
  [`Instance web: InvalidParameterValue: ${ARCHITECTURE}`, ["image", "instanceType", "cpu", "memory"]],
  ["VirtualMachine web: GalleryImageNotFound: The gallery image a is not available in region b.", ["image"]],
])("what made no machine, by its words: %s", (message, fields) => {
  const conditions = [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }];
  expect(correctableFields({ status: { conditions } })).toEqual(fields);
  const other = conditions.map((one) => ({ ...one, message: message.replace(/^[A-Z]\w+/, "Volume") }));
  expect(correctableFields({ status: { conditions: other } })).toEqual([]);
});

it("none by words that a running machine can meet as well", () => {
  const message = `VirtualMachine web: OperationNotAllowed: ${TOO_SMALL}`;
  const conditions = [{ type: "Ready", status: "False", reason: "ProviderTerminal", message }];
  expect(correctableFields({ status: { conditions, machine: { id: "8d0c5f1a" } } })).toEqual([]);
});
