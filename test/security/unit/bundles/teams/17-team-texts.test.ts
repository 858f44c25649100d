import { describe, expect, it } from "vitest";
import { admit } from "../../../../../src/admission/admit.ts";
import { ERRORS } from "../../../../../src/errors.ts";
import { applyRulings } from "../../../../../src/policy/apply-rulings.ts";
import type { LoadedBundle } from "../../../../../src/policy/loaded-bundle.ts";
import { readRuling } from "../../../../../src/policy/read-ruling.ts";
import { context, create, vm } from "../../../../support/admission.ts";
import { loadPolicy } from "../../../../support/load-policy.ts";

const policy = await loadPolicy();

type Rows = [string, unknown][];

/** The project's bundle with what a team says. */
const saying = (denials: Rows, warnings: Rows): LoadedBundle => ({
  ...policy,
  evaluate: (input) => {
    const ruling = readRuling({ denials, warnings, refused: [] }, "security");
    return applyRulings(policy.evaluate(input), [{ team: { name: "security" }, ruling }], input);
  },
});

const ask = (denials: Rows, warnings: Rows = []) =>
  admit(create(vm({ cpu: 2, memory: 4 })), context(saying(denials, warnings)));

describe("17: what a team's rules say", () => {
  it("has no code of any error of Landfall's", () => {
    const codes = Object.keys(ERRORS).filter((code) => code !== "POL_CUSTOM");
    const kept = codes.filter((code) => {
      const { decision } = ask([["rule", { code, message: "no" }]]);
      return decision?.denials[0]?.code !== `TEAM_${code}`;
    });
    expect(kept).toEqual([]);
  });

  it.each(["ADM_BUSY", "BUNDLE_NONE", "POL_QUOTA", "PLACEMENT_NONE", "ELEMENTO_CALL", "FACTS_STALE"])(
    "has no code %s of Landfall's own, and names the team",
    (code) => {
      const outcome = ask([["rule", { code, message: "try later" }]]);
      expect(outcome).toMatchObject({ allowed: false, codes: [`TEAM_${code}`] });
      expect(outcome.decision?.denials).toMatchObject([
        { source: "security", remedy: "ask the team of bundle security about this rule" },
      ]);
      expect(outcome).toMatchObject({ message: expect.stringMatching(/^bundle security: try later; /) as string });
    },
  );

  it("keeps codes of its own", () => {
    expect(
      ask([
        ["rule", { code: "SEC_OWNER", message: "no owner" }],
        ["rule", "no code"],
      ]),
    ).toMatchObject({
      codes: ["SEC_OWNER", "POL_CUSTOM"],
    });
  });

  it("warns in its own name", () => {
    const outcome = ask([], [["rule", { code: "BUNDLE_TAMPERED", message: "do not trust it" }]]);
    expect(outcome.decision?.warnings).toContainEqual({
      code: "TEAM_BUNDLE_TAMPERED",
      message: "do not trust it",
      source: "security",
    });
    expect(outcome).toMatchObject({
      allowed: true,
      warnings: expect.arrayContaining(["bundle security: do not trust it [TEAM_BUNDLE_TAMPERED]"]) as string[],
    });
  });
});
