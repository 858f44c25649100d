import { describe, expect, it } from "vitest";
import { boundedBuiltins } from "../../../../../src/policy/module/bounded-builtins.ts";

/** A module's sprintf with formats that begin differently. Returns how many it takes before it refuses. */
function taken(format: string, most: number): number {
  const sprintf = boundedBuiltins().get("sprintf");
  for (let count = 0; count < most; count += 1) {
    try {
      sprintf?.(`${String(count)} ${format}`, [1, 2]);
    } catch (thrown) {
      expect((thrown as Error).message).toBe("sprintf was called with too many formats");
      return count;
    }
  }
  return most;
}

describe("157: sprintf keeps a limited amount of what it has read", () => {
  it.each([
    ["one of 4,000 placeholders", "%%".repeat(4000), 0],
    ["one of 100 placeholders", "%%".repeat(100), 9],
    ["short ones", "x", 986],
  ])("of %s", (_, format, count) => {
    expect(taken(format, 1000)).toBe(count);
  });

  it("and known formats are used again", () => {
    const sprintf = boundedBuiltins().get("sprintf");
    for (let count = 0; count < 10_000; count += 1)
      expect(sprintf?.("%d of %d", [count, 9])).toBe(`${String(count)} of 9`);
  });
});
