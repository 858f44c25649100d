import { expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

/** The codes of the denials of a machine at Google Cloud from this image. */
function codesOf(image: string): readonly string[] {
  const outcome = admit(create(vm({ cpu: 2, memory: 4, provider: "gcp", image })), context(policy));
  return outcome.allowed ? [] : outcome.codes;
}

it.each(["global/../../other-team/global/images/backup", "global/images/../../../other-team/global/images/backup"])(
  "214: an image that a provider could read as a path to another project is denied: %s",
  (image) => {
    expect(codesOf(image)).toContain("POL_IMAGE_FOREIGN");
  },
);

it("214: an image of the namespace's own project is allowed without the project's name", () => {
  expect(codesOf("global/images/mine")).toEqual([]);
});
