import { describe, expect, it } from "vitest";
import kaasCluster from "../../../charts/kaas-cluster/values.schema.json" with { type: "json" };
import vmTemplate from "../../../charts/vmtemplate/values.schema.json" with { type: "json" };
import { lintSchema } from "../../../src/composition/definition/lint-schema.ts";

const $defs = { pool: { type: "object", properties: { b: { type: "string" } } }, size: { type: "integer" } };

const of = (schema: Record<string, unknown>) => lintSchema({ type: "object", $defs, properties: { a: schema } });

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
    [{ type: "string", format: "date-time", maxLength: 40 }, "maxLength next to format date-time"],
    [
      { type: "string", format: "date-time", pattern: "Z$", minLength: 1 },
      "minLength, pattern next to format date-time",
    ],
    [{ type: "string", format: "duration", maxLength: 9 }, "maxLength next to format duration"],
    [{ type: ["string", "null"], format: "date-time", maxLength: 40 }, "maxLength next to format date-time"],
    [{ type: "integer", maxLength: 3 }, "maxLength on a value that is not a string"],
    [{ type: "boolean", pattern: "^t" }, "pattern on a value that is not a string"],
    [{ $ref: "#/$defs/pool", minLength: 1 }, "minLength on a value that is not a string"],
    [{ type: "string", minimum: 1 }, "minimum on a value that is not an integer"],
    [{ type: "array", items: { type: "string" }, maximum: 1 }, "maximum on a value that is not an integer"],
    [{ type: "object", properties: {}, multipleOf: 2 }, "multipleOf on a value that is not an integer"],
    [{ type: "integer", minimum: 0.5 }, "minimum of an integer has to be a whole number"],
    [{ type: "integer", multipleOf: 1.5 }, "multipleOf of an integer has to be a whole number"],
    [{ type: "string", format: "quantity" }, "core-provider generates a type that it does not import"],
    [{ type: "string", pattern: "^`$" }, "a backtick ends the pattern"],
    [{ type: "string", description: "+optional" }, "read as a marker"],
    [{ type: "array", items: { type: "integer" }, default: [1] }, "becomes texts"],
    [{ type: "array", items: { type: "string" }, default: [] }, "a list with one empty text"],
    [{ $ref: "#/definitions/pool" }, "put the schema under #/$defs/"],
    [{ $ref: "#/$defs/size" }, "names no object with properties"],
    [{ enum: ["a", "b"] }, "enum without a type"],
    [{ allOf: [{ type: "string" }] }, "allOf without a type"],
    [{ type: "object", properties: { "4d": { type: "string" } } }, "4d: no name for a field of a Go type"],
  ])("core-provider refuses or loses %j: %s", (schema, message) => {
    const errors = of(schema).filter(({ level }) => level === "error");
    expect(errors.map(({ path }) => path)).toEqual(["properties.a"]);
    expect(errors[0]?.message).toContain(message);
  });

  it("notes what a list's items lose, where no marker is written", () => {
    const items = { type: "string", format: "date-time", maxLength: 40, pattern: "Z$" };
    const [problem, ...others] = of({ type: "array", items });
    expect(problem).toMatchObject({ path: "properties.a.items", level: "note" });
    expect(problem?.message).toContain("maxLength, pattern, format");
    expect(others).toEqual([]);
  });

  it.each([
    [{ type: "string", format: "date-time" }],
    [{ type: "string", enum: ["a", "b"], default: "a", maxLength: 3 }],
    [{ type: "integer", enum: [1, 2], minimum: 1 }],
    [{ type: "array", items: { type: "string" }, default: ["a"] }],
    [{ type: "array", items: { $ref: "#/$defs/pool" } }],
    [{ type: "string", description: "One + one" }],
    [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }],
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
