import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { gpuIn, TYPES_WITH } from "../../../src/model/wrong-value/texts/read-gpu.ts";

const { gpus } = JSON.parse(readFileSync("catalog/gpus.json", "utf8")) as {
  gpus: Record<string, Record<string, number>>;
};

describe("models of GPUs", () => {
  it("name only types that the catalog has", () => {
    const named = Object.values(TYPES_WITH).flatMap((types) => Object.entries(types));
    expect(named).not.toEqual([]);
    const wrong = named.flatMap(([provider, counts]) =>
      Object.entries(counts).filter(([type, count]) => gpus[provider]?.[type] !== count),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ["nvidia-tesla-t4", "T4", null],
    ["A100-80GB", "A100-80GB", null],
    ["nvidia-a100-80gb", "A100-80GB", null],
    ["A100-SXM4-40GB", "A100", null],
    ["NVIDIA H100 PCIe", "H100", null],
    ["T4:2", "T4", 2],
    ["4x L4", "L4", 4],
    ["Tesla V100", "V100", null],
  ])("%s is read", (text, model, count) => {
    expect(gpuIn(text)).toEqual({ model, count });
  });

  it.each(["two", "yes", "nvidia", "m5.large", "1", "Standard_NC4as_T4_v3"])("%s is none", (text) => {
    expect(gpuIn(text)).toBeNull();
  });
});
