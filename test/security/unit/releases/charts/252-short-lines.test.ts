import { expect, it } from "vitest";
import { findInIndex } from "../../../../../src/composition/chart/find-in-index.ts";

const MIB = 1024 * 1024;
const HEAD = "apiVersion: v1\nentries:\n  web:\n";
const ENTRY = "  - name: web\n    urls:\n    - web.tgz\n    version: 1.0.0\n";

/** An index of this many bytes that ends with such lines. */
const filled = (bytes: number, head: string, unit: string): string =>
  head + unit.repeat(Math.floor((bytes - head.length) / unit.length));

it("252: an index of millions of short lines is refused before it takes much time or memory", () => {
  for (const unit of ["    a\n", "  - \n", "#\n"]) {
    const text = filled(16 * MIB, HEAD + ENTRY, unit);
    const [before, memory] = [process.cpuUsage().user, process.memoryUsage().heapUsed];
    expect(() => findInIndex(text, "web", "1.0.0"), unit).toThrow("more than 1000000 lines");
    expect(process.memoryUsage().heapUsed - memory, unit).toBeLessThan(200 * MIB);
    // Without the limit of lines, four times as long and longer.
    expect(process.cpuUsage().user - before, unit).toBeLessThan(3_000_000);
  }
});

it("252: an entry that is too long to be parsed is not collected, and hides no other", () => {
  const long = `  - name: web\n    version: 2.0.0\n${"    a: bcdefghijklmnop\n".repeat(400_000)}`;
  const text = HEAD + long + ENTRY;
  expect(findInIndex(text, "web", "1.0.0")).toMatchObject({ version: "1.0.0", url: "web.tgz" });
  expect(findInIndex(text, "web", "2.0.0")).toBeNull();
});
