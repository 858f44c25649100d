import { describe, expect, it } from "vitest";
import kaasCluster from "../../../../charts/kaas-cluster/values.schema.json" with { type: "json" };
import vmTemplate from "../../../../charts/vmtemplate/values.schema.json" with { type: "json" };
import { lintSchema } from "../../../../src/composition/definition/lint/lint-schema.ts";

const loop = { type: "object", properties: { next: { $ref: "#/$defs/loop" } } };
const $defs = { pool: { type: "object", properties: { b: { type: "string" } } }, size: { type: "integer" } };

const of = (schema: unknown) => {
  const named = JSON.stringify(schema).includes("#/$defs/loop") ? { ...$defs, loop } : $defs;
  const problems = lintSchema({ type: "object", $defs: named, properties: { a: schema } });
  return problems.filter(({ path }) => !path.startsWith("$defs.loop"));
};

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
    [{ type: "boolean", enum: [true] }, "note", "enum: dropped"],
    [{ type: "array", items: { type: "string" }, enum: [["a"]] }, "note", "enum: dropped"],
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
    [{ type: "string", enum: ["a", "b"], maxLength: 3 }, "maxLength next to enum"],
    [{ type: ["string", "null"], enum: ["a"], pattern: "a" }, "pattern next to enum"],
    [{ type: "integer", enum: [1, 2], minimum: 1 }, "minimum next to enum"],
    [{ type: "integer", minimum: 0.5 }, "minimum of an integer has to be a whole number"],
    [{ type: "integer", multipleOf: 1.5 }, "multipleOf of an integer has to be a whole number"],
    [{ type: "string", format: "quantity" }, "core-provider generates a type that it does not import"],
    [{ type: "string", pattern: "^`$" }, "a backtick or line break ends"],
    [{ type: "string", description: "+optional" }, "read as a marker"],
    [{ type: "string", description: "One line\n  +nullable" }, "read as a marker"],
    [{ type: "string", title: "2026" }, "the title is not read as one text"],
    [{ type: "string", title: "true" }, "the title is not read as one text"],
    [{ type: "string", title: "Disk, in GiB" }, "the title is not read as one text"],
    [{ type: "string", title: "a;b" }, "the title is not read as one text"],
    [{ type: "string", title: "Size: 2 GiB" }, "the title is not read as one text"],
    [{ type: "string", title: "2 disks" }, "the title is not read as one text"],
    [{ type: "string", title: "100Mi" }, "the title is not read as one text"],
    [{ type: "string", title: "50%" }, "the title is not read as one text"],
    [{ type: "string", title: "false start" }, "the title is not read as one text"],
    [{ type: "string", title: '"Disk" size' }, "the title is not read as one text"],
    [{ type: "string", title: "One\ntwo" }, "the title is not read as one text"],
    [{ type: "array", items: { type: "string" }, default: ['a"b'] }, "ends a text of default"],
    [{ type: "string", examples: ["C:\\data"] }, "ends a text of examples"],
    [{ type: "object", properties: {}, default: { a: null } }, "null or a list within a default"],
    [{ type: "object", properties: {}, default: { a: { b: ["1"] } } }, "null or a list within a default"],
    [{ type: "array", items: { type: "integer" }, default: [1] }, "becomes texts"],
    [{ type: "array", items: { type: "string" }, default: [] }, "a list with one empty text"],
    [{ $ref: "#/definitions/pool" }, "put the schema under #/$defs/"],
    [{ $ref: "#/$defs/size" }, "names no object with properties"],
    [{ enum: ["a", "b"] }, "enum without a type"],
    [{ allOf: [{ type: "string" }] }, "allOf without a type"],
    [{ type: "string", pattern: "(?=a)" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "(?<!a)b" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "(a)\\1" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "\\u0041" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "^a{1,2000}$" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "a++" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "[^]" }, "RE2 cannot read the pattern"],
    [{ type: "string", pattern: "a\nb" }, "line break ends the pattern"],
    [{ type: "string", format: "a,b" }, "the format is not read as one text"],
    [{ type: "object", properties: {}, examples: [{ a: 'b"c' }] }, "ends a text of examples"],
    [{ type: "string", enum: ["a"], default: "b" }, "the default breaks the rules of its schema"],
    [{ type: "integer", minimum: 5, default: 1 }, "the default breaks the rules of its schema"],
    [{ type: "string", maxLength: 1, default: "abc" }, "the default breaks the rules of its schema"],
    [{ type: "object", properties: { x: { type: "integer" } }, default: { y: 1 } }, "the default breaks the rules"],
    [{ type: "object", properties: { x: { type: "integer" } }, default: { x: "a" } }, "the default breaks the rules"],
    [
      { type: "object", properties: { x: { type: "string" } }, required: ["x"], default: {} },
      "the default breaks the rules",
    ],
    [{ type: "null" }, "no type but null"],
    [{ type: [] }, "no type but null"],
    [true, "true or false in the place of a schema"],
    [{ type: "object", properties: { "a,b": { type: "string" } } }, "no name for a field of a Go type"],
    [{ type: "object", properties: { 'a"b': { type: "string" } } }, "no name for a field of a Go type"],
    [{ $ref: "#/$defs/loop" }, "refers to itself"],
    [{ type: "object", properties: { "4d": { type: "string" } } }, "4d: no name for a field of a Go type"],
  ])("core-provider refuses or loses %j: %s", (schema, message) => {
    const errors = of(schema).filter(({ level }) => level === "error");
    expect(errors.map(({ path }) => path)).toEqual(["properties.a"]);
    expect(errors[0]?.message).toContain(message);
  });

  it.each([
    [{ type: "array", items: [{ type: "string" }] }, "items is not one schema"],
    [
      { type: "object", properties: { x: { type: "string" } }, dependencies: { x: ["y"] } },
      "dependencies is not a map",
    ],
    [
      { type: "object", properties: { x: { type: "string" } }, dependentRequired: { x: "y" } },
      "dependentRequired is not",
    ],
    [{ type: "object", properties: { x: { type: "string" } }, required: true }, "required is not a list of texts"],
    [{ type: "object", properties: { x: { type: "string" } }, not: [{}] }, "not is not one schema"],
    [{ type: "object", properties: ["x"] }, "properties is not a map of schemas"],
    [{ type: "string", maxLength: "4" }, "maxLength is not a whole number"],
    [{ type: "string", maxLength: 4.5 }, "maxLength is not a whole number"],
    [{ type: "array", items: { type: "string" }, minItems: 1.5 }, "minItems is not a whole number"],
    [{ type: "integer", maximum: "4" }, "maximum is not a number"],
    [{ type: "string", title: 3 }, "title is not a text"],
    [{ type: "string", description: ["a"] }, "description is not a text"],
    [{ type: "string", format: 3 }, "format is not a text"],
    [{ type: "string", readOnly: "yes" }, "readOnly is not true or false"],
    [{ type: "string", "x-kubernetes-preserve-unknown-fields": "true" }, "is not true or false"],
    [{ type: "string", enum: "a" }, "enum is not a list"],
    [{ type: 4 }, "type is not a text or a list of texts"],
  ])("core-provider cannot read %j: %s", (schema, message) => {
    const errors = of(schema).filter(({ level }) => level === "error");
    expect(errors[0]).toMatchObject({ path: "properties.a" });
    expect(errors[0]?.message).toContain(message);
    expect(errors[0]?.message).toContain("core-provider cannot read the schema");
    // Also in a part of the schema that nothing else is made of.
    const [hidden] = of({ type: "string", oneOf: [schema] }).filter(({ level }) => level === "error");
    expect(hidden).toMatchObject({ path: "properties.a.oneOf[0]" });
  });

  it.each([
    [{ type: "object", $id: 3, properties: { a: { type: "string" } } }, "$id is not a text"],
    [{ type: "object", $schema: 3, properties: { a: { type: "string" } } }, "$schema is not a text"],
    [{ type: "object" }, "a schema without properties"],
    [{ type: "object", properties: {} }, "a schema without properties"],
  ])("a whole schema as %j is refused: %s", (schema, message) => {
    expect(lintSchema(schema)).toMatchObject([{ path: "(root)", level: "error" }]);
    expect(lintSchema(schema)[0]?.message).toContain(message);
  });

  it("has a field or definition named id, without a type at the root", () => {
    const object = { type: "object", properties: { id: { type: "integer" } } };
    expect(lintSchema({ $defs: { id: object }, properties: { id: { $ref: "#/$defs/id" } } })).toEqual([]);
  });

  it.each([
    [
      { a: { type: "string", enum: ["x"] }, b: { type: "object", properties: { A: { type: "object" } } } },
      "b.properties.A",
    ],
    [{ a: { type: "object", properties: { a: { type: "integer", enum: [1] } } } }, "a.properties.a"],
    [{ pool: { type: "object", properties: { z: { type: "string" } } } }, "pool"],
    [{ hello: { type: "object", properties: { z: { type: "string" } } } }, "hello"],
    [{ "hello-spec": { type: ["object", "null"], properties: { z: { type: "string" } } } }, "hello-spec"],
    [
      {
        xs: { type: "array", items: { type: "string", enum: ["x"] } },
        "xs-item": { type: "object", properties: { z: { type: "string" } } },
        xsItem: { type: "object", properties: { z: { type: "string" } } },
      },
      "xs-item",
    ],
  ])("two types of one name in %j are refused: %s", (properties, path) => {
    const problems = lintSchema({ type: "object", $defs, properties }, "Hello");
    expect(problems).toMatchObject([{ path: `properties.${path}`, level: "error" }]);
    expect(problems[0]?.message).toContain("one takes the other's place");
  });

  it("takes several objects of one name, or several enums", () => {
    const [object, choice] = [
      { type: "object", properties: { x: { type: "string" } } },
      { type: "string", enum: ["a"] },
    ];
    const inner = { type: "object", properties: { a: object, b: choice } };
    expect(lintSchema({ type: "object", properties: { a: object, b: choice, c: inner } }, "Hello")).toEqual([]);
  });

  it.each([
    [{ type: "string", maxLength: 40, pattern: "Z$", format: "ipv4" }, "pattern"],
    [{ type: "integer", minimum: 1, default: 2 }, "minimum, default"],
    [{ type: "array", items: { type: "string", format: "date-time", maxLength: 40 } }, null],
  ])("notes what the items of a list lose: %j", (items, lost) => {
    const problems = of({ type: "array", items });
    expect(problems).toMatchObject([{ level: "note" }]);
    expect(problems[0]?.message).toContain(`${lost ?? "maxLength"} of a list's items`);
  });

  it.each([
    { type: "string", format: "date-time", maxLength: 40 },
    { type: "string", enum: ["a"], minLength: 1 },
  ])("refuses the length of items as %j", (items) => {
    const errors = of({ type: ["array", "null"], items }).filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ path: "properties.a.items" }]);
    expect(errors[0]?.message).toContain("core-provider cannot generate the CRD");
  });

  it.each([
    { type: "string", oneOf: [{ pattern: "a" }] },
    { type: "string", anyOf: [{ type: "string", format: "ipv4" }] },
    { type: "object", properties: { x: { type: "string" } }, allOf: [{ required: ["x"] }] },
    { type: "object", properties: { x: { type: "string" } }, dependencies: { x: { required: ["y"] } } },
    { type: "object", properties: { x: { type: "string" } }, dependentRequired: { x: ["y"] } },
  ])("notes what is dropped beside a type: %j", (schema) => {
    expect(of(schema)).toMatchObject([{ path: "properties.a", level: "note" }]);
    expect(of(schema)[0]?.message).toContain("dropped from the CRD");
  });

  it.each([
    [{ type: "string", format: "date-time" }],
    [{ type: "array", items: { type: "string", maxLength: 40 } }],
    [{ type: "string", pattern: "^(?<n>[\\w+*-]+?)\\\\1\\/\\p{L}{1,1000}$" }],
    [{ type: "object", properties: { x: { type: "string", default: "a" } }, required: ["x"], default: {} }],
    [{ type: "string", enum: ["a", "b"], default: "a" }],
    [{ type: "integer", enum: [1, 2] }],
    [{ type: "array", items: { type: "string" }, default: ["a"] }],
    [{ type: "array", items: { $ref: "#/$defs/pool" } }],
    [{ type: "string", description: "One + one\nand - two" }],
    [{ type: "string", title: "Size - 2 GiB (or more)", examples: ["a b", "it's", 1] }],
    [{ type: "string", title: "trueish" }],
    [{ type: "string", title: 'Größe "x" a/b' }],
    [{ type: "object", properties: {}, default: { a: 1, b: "x y", c: { d: true } } }],
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
