import { describe, expect, it } from "vitest";
import { nearestTypes } from "../../../src/model/text/nearest.ts";
import { readValue } from "../../../src/model/wrong-value/read-value.ts";

describe("a machine type that is not offered", () => {
  const types = ["m5a.large", "m5a.xlarge", "m5d.xlarge", "m7i.2xlarge"];

  it("is never taken for one of another size that exists", () => {
    expect(nearestTypes("m5.xlarge", types)).toEqual(["m5a.xlarge", "m5d.xlarge"]);
    expect(nearestTypes("m5.2xlarge", types)).toEqual([]);
  });

  it("is taken for the nearest one if no type has its size", () => {
    expect(nearestTypes("m7i.2xlarg", types)).toEqual(["m7i.2xlarge"]);
  });
});

describe("a text instead of a list", () => {
  it("is one item where any text is, and several where items are names", () => {
    expect(readValue({ type: "array", items: { type: "string" } }, "outside office hours")?.value).toEqual([
      "outside office hours",
    ]);
    const names = { type: "array", items: { type: "string", enum: ["aws", "gcp"] } };
    expect(readValue(names, "aws gcp")?.value).toEqual(["aws", "gcp"]);
  });
});

it("reads a share in quotes as percent", () => {
  const percent = { type: "integer", minimum: 0, maximum: 100, "x-unit": "percent" };
  expect(readValue(percent, "0.1")).toMatchObject({ value: 10, problem: "is a share, and not percent" });
});
