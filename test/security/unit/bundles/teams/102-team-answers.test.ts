import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { PolicyInput } from "../../../../../src/model/policy.ts";
import { loadBundles, type LoadedBundles } from "../../../../../src/policy/load-bundles.ts";
import { PROBE } from "../../../../../src/policy/module/probe.ts";
import { readRuling, RULING } from "../../../../../src/policy/read-ruling.ts";
import { HOSTILE, hostileBundle, NESTED } from "../../../../support/bundles/hostile-module.ts";
import { policyFile } from "../../../../support/load-policy.ts";

const platform = { bytes: await readFile(await policyFile()), ref: "platform" };
const TRAP: PolicyInput = { ...PROBE, spec: { ...PROBE.spec, tags: { trap: "on" } } };

/** The platform's bundle with a team that answers this, and the codes of what was thrown inside its accounting and its limit of time. */
async function withAnswer(result: string): Promise<{ loaded: LoadedBundles; inside: unknown[]; limited: unknown[] }> {
  const [inside, limited]: unknown[][] = [[], []];
  const noting =
    (thrown: unknown[] | undefined) =>
    <T>(_: string, work: () => T): T => {
      try {
        return work();
      } catch (error) {
        thrown?.push((error as { code?: unknown }).code);
        throw error;
      }
    };
  const other = { bytes: hostileBundle("security", result), ref: "security", expected: null };
  const loaded = await loadBundles(platform, [other], { during: noting(inside), run: noting(limited) });
  return { loaded, inside: inside ?? [], limited: limited ?? [] };
}

describe("102: an answer of a team that would take long to work on", () => {
  it.each(Object.entries(HOSTILE))("denies in its name: %s", async (_, result) => {
    const { loaded, inside, limited } = await withAnswer(result);
    expect(loaded.bundle.evaluate(PROBE).denials).toEqual([]);
    expect(() => loaded.bundle.evaluate(TRAP)).toThrow(
      expect.objectContaining({
        code: "POL_TEAM",
        params: expect.objectContaining({ bundle: "security" }) as object,
      }) as Error,
    );
    // It was the team's work, and within the limit of time of a command.
    expect(inside).toHaveLength(1);
    expect(limited).toEqual(inside);
  });

  it.each(Object.entries(NESTED))("leaves the team's work without its nested values: %s", async (_, result) => {
    const { loaded } = await withAnswer(result);
    const { denials, rejected } = loaded.bundle.evaluate(TRAP);
    expect({ denials, rejected: rejected["security"] }).toEqual({ denials: [], rejected: undefined });
  });
});

describe("102: a ruling", () => {
  const rows = (count: number, row: unknown[]): unknown[][] => Array.from({ length: count }, () => row);
  const answer = (list: string, value: unknown): unknown => ({ denials: [], warnings: [], refused: [], [list]: value });
  const long = "x".repeat(RULING.text);

  it("within its limits is read as it is", () => {
    const denials = rows(RULING.denials, ["p", "no"]);
    const warnings = rows(RULING.warnings, ["p", { code: "W", message: "look" }]);
    const refused = Array.from({ length: RULING.refused }, (_, n) => ["p", `aws/${String(n)}`, "closed"]);
    const ruling = readRuling({ denials, warnings, refused }, "security");
    expect(ruling.denials).toHaveLength(RULING.denials);
    expect(ruling.warnings.at(-1)).toEqual({ code: "W", message: "look", source: "security" });
    expect(ruling.refused.get(`aws/${String(RULING.refused - 1)}`)).toBe("closed (p)");
    expect(readRuling(answer("denials", [["p", long]]), "security").denials[0]?.message).toBe(long);
  });

  it.each([
    ["denials", rows(RULING.denials + 1, ["p", "no"]), "they give 101 denials; write at most 100"],
    ["warnings", rows(RULING.warnings + 1, ["p", "no"]), "they give 101 warnings; write at most 100"],
    ["refused", rows(RULING.refused + 1, ["p", "aws/x", "no"]), "they give 2001 refused; write at most 2000"],
    ["denials", [["p", `${long}x`]], "a message has 1025 characters; write at most 1024"],
    ["denials", [["p", { message: "no", actual: `${long}x` }]], "actual has 1025 characters"],
    ["denials", [["p", { code: long }]], "a code has 1024 characters; write at most 256"],
    ["warnings", [[long, "no"]], "a package's name has 1024 characters"],
    ["refused", [["p", "aws/x", `${long}x`]], "a reason has 1025 characters"],
    ["refused", [["p", 7, "no"]], "they refuse what is not a place; write provider/region"],
    ["denials", rows(RULING.denials, ["p", { message: long, actual: long }]), "more than 65536 characters together"],
    ["refused", rows(RULING.refused, ["p", "aws/x", long]), "more than 262144 characters together"],
    ["denials", [[["p"], "no"]], "they give no denials, warnings and refused"],
    ["refused", [["p", "aws/x"]], "they give no denials, warnings and refused"],
    ["warnings", {}, "they give no denials, warnings and refused"],
  ])("with other %s is refused", (list, value, detail) => {
    expect(() => readRuling(answer(list, value), "security")).toThrow(detail);
  });

  it("keeps nothing nested", () => {
    const deep: unknown = { a: [[{}]] };
    const { denials, refused } = readRuling(
      {
        denials: [
          ["p", { code: deep, message: deep, field: deep, actual: deep, allowed: deep }],
          ["p", deep],
          ["p", [deep]],
        ],
        warnings: [],
        refused: [["p", "aws/x", deep]],
      },
      "security",
    );
    const unsaid = {
      code: "POL_CUSTOM",
      message: "rule p of bundle security",
      field: null,
      actual: null,
      allowed: null,
    };
    expect(denials).toEqual(Array.from({ length: 3 }, () => ({ ...unsaid, source: "security" })));
    expect([...refused]).toEqual([["aws/x", "refused (p)"]]);
  });

  it("gives the first package's reason for a place, in any order", () => {
    const two = [
      ["b", "aws/x", "later"],
      ["a", "aws/x", "first"],
    ];
    for (const refused of [two, two.toReversed()])
      expect([...readRuling(answer("refused", refused), "security").refused]).toEqual([["aws/x", "first (a)"]]);
  });
});
