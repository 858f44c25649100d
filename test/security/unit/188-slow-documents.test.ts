import { describe, expect, it } from "vitest";
import { parseDocuments } from "../../../src/cli/objects/read-documents.ts";
import { KUBERNETES_YAML } from "../../../src/model/formats/kubernetes-yaml.ts";

/** Lines of one map. */
const names = (count: number): string =>
  `spec:\n  tags:\n${Array.from({ length: count }, (_, index) => `    k${String(index)}: v\n`).join("")}`;

describe("188: a file of the command line", () => {
  it("with many names in a map is read in time that grows as their number", () => {
    const usedMs = (count: number): number => {
      const { user, system } = process.cpuUsage();
      expect(parseDocuments("f", names(count), KUBERNETES_YAML, 120_000)).toHaveLength(1);
      const used = process.cpuUsage({ user, system });
      return (used.user + used.system) / 1000;
    };
    usedMs(2000);
    // Compared with each other, ten times as many took a hundred times as long.
    expect(usedMs(20_000)).toBeLessThan(25 * Math.max(50, usedMs(2000)));
  });

  it.each([
    ["a name twice", "a: 1\nb: 2\na: 3\n", "has a field that its map has already", 3],
    ["one in a list", "a:\n  - {b: 1, c: 2, b: 3}\n", "has a field that its map has already", 2],
    ["two in quotes", `a: 1\n"a": 2\n`, "has a field that its map has already", 2],
    ["two that YAML reads as one", "y: 1\nyes: 2\n", "has the name y, which YAML reads as true", 1],
  ])("still may not have %s", (_, source, detail, line) => {
    expect(() => parseDocuments("f", source, KUBERNETES_YAML)).toThrow(
      expect.objectContaining({ code: "CLI_YAML", params: expect.objectContaining({ line }) as object }) as Error,
    );
    expect(() => parseDocuments("f", source, KUBERNETES_YAML)).toThrow(detail);
  });

  it.each([
    ["---", "---\n".repeat(10_001)],
    ["...", "...\n".repeat(10_001)],
  ])("with more than 10,000 documents is refused before it is parsed: %s", (_, source) => {
    expect(() => parseDocuments("f", source)).toThrow("it has more than 10000 documents");
  });

  it("ends with an error at a limit of time, whatever is in it", () => {
    const began = performance.now();
    expect(() => parseDocuments("f", `a: "${"\\u".repeat(2_000_000)}"`, {}, 300)).toThrow(
      "reading it takes longer than 0.3 s",
    );
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  it("of a thousand objects is read", () => {
    const one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    expect(parseDocuments("f", Array.from({ length: 1000 }, () => one).join("---\n"))).toHaveLength(1000);
  });
});
