import { describe, expect, it } from "vitest";
import { listEntrypoints } from "../../../src/policy/list-entrypoints.ts";

describe("25: bundle inspect", () => {
  /** `(module (func $loop (loop (br 0))) (start $loop))` */
  const LOOPS = "0061736d01000000010401600000030201000801000a0901070003400c000b0b";
  it("ends a module that loops when it is loaded", async () => {
    const began = performance.now();
    const listed = listEntrypoints(Buffer.from(LOOPS, "hex"), "evil.tar.gz", 1500);
    await expect(listed).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE", params: { ref: "evil.tar.gz" } });
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it("reports a module that is not one", async () => {
    const listed = listEntrypoints(Buffer.from("0061736d02", "hex"), "evil.tar.gz");
    await expect(listed).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
  });
});
