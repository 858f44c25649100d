import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cleanKubeconfig } from "../../../../src/elemento/api/clean-kubeconfig.ts";

const KIB = 1024;

describe("87: a kubeconfig of an Elemento API that takes long to parse", () => {
  it.each([
    ["of brackets", "]\n", 250, "more than 32768 characters"],
    ["of brackets that is not too long", "]\n", 32, "more than 2000 YAML tokens"],
    ["of lists", "- [a\n", 32, "more than 2000 YAML tokens"],
    ["of equal keys", "a: *x\n", 32, "more than 2000 YAML tokens"],
    ["of anchors", "&a [*a,", 32, "more than 2000 YAML tokens"],
    ["of nested mappings", "{a: ", 32, "more than 2000 YAML tokens"],
    ["of a few brackets", "]\n", 0.5, "not valid YAML"],
  ])("%s is refused before it is parsed", (_what, unit, kib, problem) => {
    expect(() => cleanKubeconfig(unit.repeat((kib * KIB) / unit.length))).toThrow(problem);
  });

  it("is not written to the log", () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => {
      warned.mockRestore();
    });
    expect(() => cleanKubeconfig("current-context: !secret s3cr3t\n")).toThrow("no entry");
    expect(warned).not.toHaveBeenCalled();
  });
});
