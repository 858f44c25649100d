import { describe, expect, it } from "vitest";
import { shortFields } from "../../../src/cluster/short-object.ts";

/** A map of so many fields, of which the last is Landfall's own, with the number of values that were read. */
function counted(count: number): { fields: Record<string, string>; reads: () => number } {
  const names = Array.from({ length: count - 1 }, (_, index) => [`k${String(index)}`, "v"]);
  let reads = 0;
  const fields = new Proxy<Record<string, string>>(
    { ...Object.fromEntries<string>(names as [string, string][]), "landfall.dev/run": "2" },
    {
      get: (all, key: string) => {
        reads += 1;
        return all[key];
      },
    },
  );
  return { fields, reads: () => reads };
}

describe("a map of labels or annotations with 150,000 entries", () => {
  it("keeps Landfall's own entry, and reads the values of few others", () => {
    const { fields, reads } = counted(150_000);
    const kept = shortFields(fields);
    expect(kept["landfall.dev/run"]).toBe("2");
    expect(Object.keys(kept).length).toBeGreaterThan(500);
    expect(reads()).toBeLessThan(3000);
  });
});
