import { describe, expect, it } from "vitest";
import { heldWarnings } from "../../../../src/admission/decide/warnings/held-warnings.ts";
import type { DecisionRequest } from "../../../../src/admission/types.ts";
import { decideAlone } from "../../../../src/admission/decide/decide.ts";
import { context, vm } from "../../../support/admission.ts";
import { loadPolicy } from "../../../support/load-policy.ts";

const policy = await loadPolicy();
const asked = (
  annotations: Record<string, string>,
  operation: DecisionRequest["operation"] = "CREATE",
): DecisionRequest => ({
  ...context(policy),
  kind: "VmTemplate",
  object: vm({ cpu: 2, memory: 4 }, { annotations }),
  operation,
});
const PAUSED = { "krateo.io/paused": "true" };
const HOLD = { "landfall.dev/hold": "until the audit is over" };

describe("a new object that its user holds back", () => {
  it("is said to wait by its decision", () => {
    const codes = (annotations: Record<string, string>): string[] =>
      decideAlone(asked(annotations)).warnings.map(({ code }) => code);
    expect(codes(PAUSED)).toContain("HELD_BY_USER");
    expect(codes({})).not.toContain("HELD_BY_USER");
  });

  it.each([
    [PAUSED, false, "it waits for its user: krateo.io/paused holds it back"],
    [HOLD, true, "it waits for its user: landfall.dev/hold holds it back after its start"],
    [
      HOLD,
      false,
      'landfall.dev/hold does not hold back an object that starts now; write krateo.io/paused: "true" as well',
    ],
  ])("with %j names the annotation", (annotations, later, text) => {
    expect(heldWarnings(asked(annotations), later).map(({ message }) => message)).toEqual([
      expect.stringContaining(text),
    ]);
  });

  it.each([
    ["without annotations", asked({})],
    ["that starts now for a reason", asked({ ...PAUSED, "landfall.dev/start-now": "the customer waits" })],
    ["that has a decision", asked({ ...PAUSED, "landfall.dev/decision": "{}" })],
    ["that is changed", asked(PAUSED, "UPDATE")],
  ])("is not reported %s", (_what, request) => {
    expect(heldWarnings(request, true)).toEqual([]);
  });
});
