import { describe, expect, it } from "vitest";
import { listEntrypoints } from "../../../../src/policy/module/list-entrypoints.ts";

describe("25: bundle inspect", () => {
  /** `(module (import "env" "memory" (memory 1)) (func $loop (loop (br 0))) (start $loop))` */
  const LOOPS = "0061736d01000000010401600000020f0103656e76066d656d6f7279020001030201000801000a0901070003400c000b0b";
  /** The same with a memory that the runtime does not limit. */
  const OWN_MEMORY = "0061736d010000000104016000000302010005030100010801000a0901070003400c000b0b";
  it("ends a module that loops when it is loaded", async () => {
    const began = performance.now();
    const listed = listEntrypoints(Buffer.from(LOOPS, "hex"), "evil.tar.gz", 1500);
    await expect(listed).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE", params: { ref: "evil.tar.gz" } });
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it("refuses a module with a memory of its own before it runs", async () => {
    const listed = listEntrypoints(Buffer.from(OWN_MEMORY, "hex"), "evil.tar.gz");
    await expect(listed).rejects.toMatchObject({
      code: "BUNDLE_UNREADABLE",
      message: expect.stringContaining("has a memory of its own") as string,
    });
  });

  it("reports a module that is not one", async () => {
    const listed = listEntrypoints(Buffer.from("0061736d02", "hex"), "evil.tar.gz");
    await expect(listed).rejects.toMatchObject({ code: "BUNDLE_UNREADABLE" });
  });
});
