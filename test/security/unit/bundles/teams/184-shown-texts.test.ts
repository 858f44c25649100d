import { describe, expect, it } from "vitest";
import { LandfallError } from "../../../../../src/errors.ts";
import { hasUnseen, neutraliseLine } from "../../../../../src/model/text/neutralise.ts";
import { readRuling } from "../../../../../src/policy/read-ruling.ts";
import { answerReview, errorReply } from "../../../../../webhook/review/answer-review.ts";
import type { Outcome } from "../../../../../src/admission/types.ts";
import { reviewOf, vm } from "../../../../support/admission.ts";

/** Sets the title, clears the screen, adds a line that looks like an error of kubectl, turns the direction. */
const HOSTILE = "x\u001b]0;owned\u0007\u001b[2J\nError: token expired\r\n\tlog in at evil.example\u2028\u202e\u0085end";
const SHOWN = "x\\u001b]0;owned\\u0007\\u001b[2J Error: token expired log in at evil.example \\u202e end";

/** All texts of a value. */
const textsOf = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(textsOf)
      : [];

it("184: a text of others is one line of visible characters", () => {
  expect(neutraliseLine(HOSTILE)).toBe(SHOWN);
});

describe("184: what a team's rules say", () => {
  const entry = { code: HOSTILE, message: HOSTILE, field: HOSTILE, actual: HOSTILE, allowed: HOSTILE };
  const { denials, warnings, refused } = readRuling(
    { denials: [["rule", entry]], warnings: [["rule", entry]], refused: [[HOSTILE, "azure/westeurope", HOSTILE]] },
    "security",
  );

  it("has no effect on a terminal, and is one line", () => {
    const texts = textsOf([denials, warnings, [...refused]]);
    expect(texts.filter((text) => hasUnseen(text) || /[\n\t]/.test(text))).toEqual([]);
    expect(texts.filter((text) => text === SHOWN)).toHaveLength(7);
    expect(refused.get("azure/westeurope")).toBe(`${SHOWN} (${SHOWN})`);
  });
});

describe("184: an answer to the API server", () => {
  const body = reviewOf(vm({ cpu: 2, memory: 4 }));
  const answered = (outcome: Outcome): string[] => textsOf(JSON.parse(answerReview<never>(body, () => outcome).body));
  const causes = [{ reason: "FieldValueInvalid" as const, field: HOSTILE, message: HOSTILE }];
  const denied = {
    allowed: false as const,
    message: `first\n  second ${HOSTILE}`,
    codes: ["ADM_SCHEMA"],
    decision: null,
  };

  it.each<[string, Outcome]>([
    ["a denial", denied],
    ["a denial with causes", { ...denied, causes }],
    ["warnings", { allowed: true, patch: [], warnings: [HOSTILE, HOSTILE], decision: null }],
  ])("has no effect on a terminal: %s", (_, outcome) => {
    const texts = answered(outcome);
    expect(texts.some((text) => text.includes("owned"))).toBe(true);
    expect(texts.filter(hasUnseen)).toEqual([]);
  });

  it("keeps the lines of Landfall's own messages, and has one line for each warning", () => {
    expect(answered(denied).some((text) => text.startsWith("first\n  second x"))).toBe(true);
    expect(answered({ allowed: true, patch: [], warnings: [HOSTILE], decision: null })).toContain(SHOWN);
  });

  it("has no effect on a terminal if there is no review", () => {
    const { body: status } = errorReply(new LandfallError("ADM_NOT_A_REVIEW", { detail: HOSTILE }), 400);
    expect(textsOf(JSON.parse(status)).filter(hasUnseen)).toEqual([]);
  });
});
