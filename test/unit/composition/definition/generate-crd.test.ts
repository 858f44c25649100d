import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { generateCrd } from "../../../../src/composition/definition/generate-crd.ts";
import { isObject } from "../../../../src/model/json.ts";

const fixture = (name: string) => new URL(`../../../fixtures/krateo/${name}`, import.meta.url);

/** Descriptions are texts for people, ours are our own; everything else is the contract. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !(key === "description" && typeof inner === "string"));
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}

/** The CRD schema of `spec.x` where the chart's schema of x is `schema`. */
function converted(schema: unknown, beside: Record<string, unknown> = {}): unknown {
  const crd = generateCrd({
    schema: { type: "object", properties: { x: schema }, ...beside },
    chartName: "a",
    chartVersion: "1.0.0",
  });
  const properties = crd.spec.versions[0]?.schema.openAPIV3Schema["properties"];
  const spec = isObject(properties) && isObject(properties["spec"]) ? properties["spec"] : {};
  return isObject(spec["properties"]) ? spec["properties"]["x"] : undefined;
}

const PRESERVE = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

describe("generateCrd", () => {
  it("generates the same CRD as Krateo from Krateo's schema", async () => {
    const schema = JSON.parse(await readFile(fixture("golden-values.schema.json"), "utf8")) as Record<string, unknown>;
    const golden = parse(await readFile(fixture("golden-crd.yaml"), "utf8")) as Record<string, unknown>;
    const crd = generateCrd({ schema, chartName: "kaas-cluster", chartVersion: "0.1.0" });
    expect(crd.metadata).toEqual({ name: "kaasclusters.composition.krateo.io" });
    expect(withoutDescriptions(crd.spec)).toEqual(withoutDescriptions(golden["spec"]));
  });

  it.each([
    ["an integer becomes int32", { type: "integer", minimum: 1 }, { type: "integer", format: "int32", minimum: 1 }],
    ["exclusiveMinimum is dropped", { type: "integer", exclusiveMinimum: 0 }, { type: "integer", format: "int32" }],
    ["null beside a type becomes nullable", { type: ["string", "null"] }, { type: "string", nullable: true }],
    ["oneOf of scalars becomes an open object", { oneOf: [{ type: "string" }, { type: "integer" }] }, PRESERVE],
    ["two types become an open object", { type: ["string", "integer"] }, PRESERVE],
    ["a map becomes an open object", { type: "object", additionalProperties: { type: "string" } }, PRESERVE],
    ["an object without properties stays open", { type: "object" }, PRESERVE],
    ["no type at all becomes an open object", {}, PRESERVE],
    [
      "minItems and uniqueItems are dropped",
      { type: "array", minItems: 1, uniqueItems: true, items: { type: "string" } },
      { type: "array", items: { type: "string" } },
    ],
    ["an array of anything holds open objects", { type: "array" }, { type: "array", items: PRESERVE }],
    [
      "pattern, enum, maxLength and format stay",
      { type: "string", pattern: "^a", enum: ["a"], maxLength: 3, format: "date-time" },
      { type: "string", pattern: "^a", enum: ["a"], maxLength: 3, format: "date-time" },
    ],
    ["a default stays", { type: "boolean", default: false }, { type: "boolean", default: false }],
    [
      "required is sorted",
      { type: "object", required: ["b", "a"], properties: { b: { type: "string" }, a: { type: "string" } } },
      { type: "object", required: ["a", "b"], properties: { a: { type: "string" }, b: { type: "string" } } },
    ],
    [
      "additionalProperties false is dropped",
      { type: "object", additionalProperties: false, properties: { a: { type: "string" } } },
      { type: "object", properties: { a: { type: "string" } } },
    ],
    ["a description stays", { type: "string", description: "words" }, { type: "string", description: "words" }],
  ])("%s", (_, schema, expected) => {
    expect(converted(schema)).toEqual(expected);
  });

  it("resolves a $ref through $defs and definitions", () => {
    const beside = { $defs: { a: { $ref: "#/definitions/b" } }, definitions: { b: { type: "integer", maximum: 3 } } };
    expect(converted({ $ref: "#/$defs/a" }, beside)).toEqual({ type: "integer", format: "int32", maximum: 3 });
  });

  it.each([
    ["number", { type: "number" }, "spec.x: a CRD cannot have type number; use an integer or a string"],
    [
      "a default of the wrong type",
      { type: "integer", default: "1" },
      'spec.x: the default "1" is not of type integer',
    ],
    [
      "a null default of what is not nullable",
      { type: "string", default: null },
      "spec.x: the default null is not of type string",
    ],
    ["a $ref to nothing", { $ref: "#/$defs/none" }, "spec.x: $ref #/$defs/none names nothing"],
    ["a $ref out of the schema", { $ref: "other.json" }, "spec.x: $ref other.json leaves the schema"],
    [
      "number in an array",
      { type: "array", items: { type: "number" } },
      "spec.x[]: a CRD cannot have type number; use an integer or a string",
    ],
  ])("refuses %s", (_, schema, detail) => {
    expect(() => converted(schema)).toThrow(
      expect.objectContaining({ code: "REL_CHART_SCHEMA", params: { chart: "a", detail } }) as Error,
    );
  });

  it("refuses a $ref that refers to itself", () => {
    const beside = { $defs: { loop: { type: "object", properties: { next: { $ref: "#/$defs/loop" } } } } };
    expect(() => converted({ $ref: "#/$defs/loop" }, beside)).toThrow(
      expect.objectContaining({ code: "REL_CHART_SCHEMA" }) as Error,
    );
  });

  it.each([
    ["vm-template", "VmTemplate", "vmtemplates"],
    ["kaas-cluster", "KaasCluster", "kaasclusters"],
    ["vmtemplate", "Vmtemplate", "vmtemplates"],
    ["key-policy", "KeyPolicy", "keypolicies"],
    ["node-class", "NodeClass", "nodeclasses"],
  ])("names the kind of %s %s, plural %s", (chartName, kind, plural) => {
    const crd = generateCrd({ schema: { type: "object" }, chartName, chartVersion: "1.2.0" });
    expect(crd.spec.names).toMatchObject({ kind, plural });
    expect(crd.spec.versions[0]?.name).toBe("v1-2-0");
  });
});
