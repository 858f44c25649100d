// 462: images whose licences can cost more than the machine were public for all, and passed all limits of prices.
import { expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

const codesOf = (image: string): readonly string[] => {
  const outcome = admit(create(vm({ cpu: 2, memory: 8, image })), context(policy));
  return outcome.allowed ? [] : outcome.codes;
};

it.each([
  "projects/suse-sap-cloud/global/images/family/sles-15-sp6-sap",
  "rhel-sap-cloud/rhel-9-4-sap-ha",
  "windows-sql-cloud/sql-ent-2022-win-2019",
])("462: %s needs settings.images.allowed", (image) => {
  expect(codesOf(image)).toContain("POL_IMAGE_FOREIGN");
});

it("462: images of Linux without a licence stay public", () => {
  expect(codesOf("debian-cloud/debian-12")).toEqual([]);
});
