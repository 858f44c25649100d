import { describe, expect, it } from "vitest";
import { withRemedy } from "../../../../src/admission/decide/with-remedy.ts";
import { ERRORS } from "../../../../src/errors.ts";

const denial = (code: string, allowed: string | number | null) => ({
  ...{ code, allowed, message: "m", field: "spec.x", actual: "y" },
});
const remedyOf = (code: string, allowed: string | number | null): string => withRemedy(denial(code, allowed)).remedy;

/** The codes of rules whose remedy names what is allowed. */
const LISTING = Object.entries(ERRORS).flatMap(([code, { remedy }]) =>
  code.startsWith("POL_") && remedy.includes("{allowed}") ? [code] : [],
);

describe("the remedy of a denial that lists nothing as allowed", () => {
  it.each(LISTING)("of %s has no gap where the list would be", (code) => {
    expect(remedyOf(code, "SOMETHING 1")).toContain("SOMETHING 1");
    for (const allowed of [null, "", " ", "none"]) {
      const remedy = remedyOf(code, allowed);
      expect(remedy).not.toMatch(/\(\s*\)|\s{2}|\s[,;]|\b(?:of|in|inside|to|least|use|matches|none)(?:[,;]|$)/);
    }
  });

  it.each([
    ["POL_FEATURE", null, "choose another provider, or omit the feature"],
    ["POL_FEATURE", "", "omit the feature: no provider has all that the object asks for"],
    ["POL_FEATURE", "aws, gcp", "choose another provider (aws, gcp), or omit the feature"],
    ["POL_IMAGE", "", "choose another os or image"],
    // The catalog knows the provider, and no version that is still supported.
    ["POL_KUBERNETES_ENDED", "aws ", "omit kubernetesVersion, or choose another provider"],
    ["POL_KUBERNETES_VERSION", "aws ; gcp ", "omit kubernetesVersion, or choose another provider"],
    ["POL_KUBERNETES_VERSION", "aws 1.34, 1.35", "use one of aws 1.34, 1.35, or omit kubernetesVersion"],
    ["POL_UNKNOWN_PROVIDER", "none", "ask the platform team to allow a provider for this namespace"],
  ])("%s with %j: %s", (code, allowed, remedy) => {
    expect(remedyOf(code, allowed)).toBe(remedy);
  });
});
