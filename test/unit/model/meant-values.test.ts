import { describe, expect, it } from "vitest";
import { nodeAt, type SchemaNode } from "../../../src/model/wrong-value/schema-node.ts";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import settings from "../../../schemas/settings.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { nearestTypes } from "../../../src/model/text/nearest.ts";
import { readValue } from "../../../src/model/wrong-value/read/read-value.ts";

describe("a machine type that is not offered", () => {
  const types = ["m5a.large", "m5a.xlarge", "m5d.xlarge", "m7i.2xlarge"];

  it("is never taken for one of another size that exists", () => {
    expect(nearestTypes("m5.xlarge", types)).toEqual(["m5a.xlarge", "m5d.xlarge"]);
    expect(nearestTypes("m6i.xlarge", ["c6i.xlarge", "m6a.xlarge"])).toEqual(["m6a.xlarge", "c6i.xlarge"]);
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

it("takes a fraction of a percent for the whole ones next to it, and for no share", () => {
  const percent = { type: "integer", minimum: 0, maximum: 100, "x-unit": "percent" };
  for (const given of [0.5, "0.5", "0,5 %"])
    expect(readValue(percent, given)).toEqual({
      problem: "is not a whole number of percent",
      advice: "write 1 or 0, e.g. <field>: 1",
    });
});

/** Every number of the schema whose description calls it a limit. */
function limitsIn(node: SchemaNode & { description?: string }, at = ""): [string, SchemaNode][] {
  const inner: [string, SchemaNode | undefined][] = [
    ...Object.entries(node.properties ?? {}).map(([name, one]): [string, SchemaNode] => [`${at}/${name}`, one]),
    [`${at}/0`, node.items],
    [`${at}/*`, typeof node.additionalProperties === "object" ? node.additionalProperties : undefined],
  ];
  const isLimit = /^(?:Maximum|Most|Longest|Highest|Latest|Largest) /.test(node.description ?? "");
  const own: [string, SchemaNode][] = isLimit && [node.type].flat().includes("integer") ? [[at, node]] : [];
  return [...own, ...inner.flatMap(([path, one]) => (one === undefined ? [] : limitsIn(one, path)))];
}

describe("a fraction", () => {
  const { vcpus, objects } = nodeAt(settings, "/quotas/default").properties ?? {};
  const { maxLatency, memory, maxPrice } = (vmTemplate as SchemaNode).properties ?? {};

  it.each([
    ["a quota", vcpus, 8.5, 8],
    ["a quota with a unit", vcpus, "8500m", 8],
    ["a quota of objects", objects, 10.5, 10],
    ["a quota in thousands", objects, "1.5k", 1500],
    ["a latency", maxLatency, 29.9, 29],
    ["a latency with a unit", maxLatency, "29.9ms", 29],
    ["a latency as a range of another tool", maxLatency, { min: 5, max: 20 }, 20],
    ["a price of a day", maxPrice, "16 USD/day", "0.666666"],
    ["a size, which is a minimum", memory, 3.5, 4],
    ["a size in bytes", memory, 8_000_000_000, 8],
  ])("of %s becomes a value that asks for no less, and allows no more", (_name, node, written, value) => {
    expect(readValue(node ?? {}, written)).toMatchObject({ value });
  });

  it("below the least that a maximum takes is not raised silently", () => {
    const read = readValue(maxLatency ?? {}, 0.5);
    expect(read).toMatchObject({ problem: "is less than 1" });
    expect(read?.value).toBeUndefined();
    expect(read?.advice).toBe("write 1 or more, e.g. <field>: 500 if seconds were meant");
  });

  it("is rounded down in each field that its description calls a maximum", () => {
    const all = [settings, vmTemplate, kaasCluster].flatMap((schema) => limitsIn(schema as SchemaNode));
    expect(all.length).toBeGreaterThan(5);
    expect(all.filter(([, node]) => node["x-most"] !== true).map(([at]) => at)).toEqual([]);
  });
});
