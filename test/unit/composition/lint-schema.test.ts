import { describe, expect, it } from "vitest";
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };
import { lintSchema } from "../../../src/composition/definition/lint-schema.ts";

const of = (schema: Record<string, unknown>) => lintSchema({ type: "object", properties: { a: schema } });

describe("the portable subset of JSON Schema", () => {
  it.each([
    [{ type: "number" }, "error", "type number makes the generation of the CRD fail"],
    [{ type: ["string", "integer"] }, "error", "several types (string, integer)"],
    [{}, "error", "without a type"],
    [{ type: "integer", default: "1" }, "error", "the default is of type string"],
    [{ type: "string", default: 1 }, "error", "the default is of type integer"],
    [{ type: "object", default: [] }, "error", "the default is of type array"],
    [{ oneOf: [{ type: "string" }, { type: "integer" }] }, "error", "oneOf of scalars becomes an object"],
    [{ anyOf: [{ type: "boolean" }] }, "error", "anyOf of scalars becomes an object"],
    [{ type: "integer", maximum: 3_000_000_000 }, "error", "3000000000 is outside"],
    [{ type: "array", minItems: 1, uniqueItems: true, items: { type: "string" } }, "note", "minItems, uniqueItems"],
    [{ type: "integer", exclusiveMinimum: 0 }, "note", "exclusiveMinimum"],
    [{ type: "object", additionalProperties: { type: "string" } }, "note", "preserve-unknown-fields"],
  ])("%j is an %s: %s", (schema, level, message) => {
    const [problem, ...others] = of(schema);
    expect(problem).toMatchObject({ path: "properties.a", level });
    expect(problem?.message).toContain(message);
    expect(others).toEqual([]);
  });

  it.each([
    [{ type: "string", pattern: "^a$", maxLength: 3, default: "a" }],
    [{ type: "integer", minimum: 1, maximum: 5, default: 1 }],
    [{ type: ["string", "null"] }],
    [{ type: "object", default: {}, properties: { b: { type: "string" } } }],
    [{ type: "array", items: { type: "object", properties: { b: { type: "boolean" } } } }],
    [{ $ref: "#/$defs/pool" }],
  ])("%j is portable", (schema) => {
    expect(of(schema)).toEqual([]);
  });

  it("covers lists, maps and definitions", () => {
    const schema = {
      type: "object",
      $defs: { x: { type: "number" } },
      properties: { l: { type: "array", items: { type: "number" } } },
    };
    expect(lintSchema(schema).map(({ path }) => path)).toEqual(["properties.l.items", "$defs.x"]);
  });

  it("is met by our own schemas", () => {
    const problems = [...lintSchema(vmTemplate), ...lintSchema(kaasCluster)];
    expect(problems.filter(({ level }) => level === "error")).toEqual([]);
  });
});
