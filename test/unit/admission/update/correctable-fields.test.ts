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
