import { expect, it } from "vitest";
import { generateCrd } from "../../../../../src/composition/definition/generate-crd.ts";
import { lintSchema } from "../../../../../src/composition/definition/lint/lint-schema.ts";

type Schema = Record<string, unknown>;

const reference = (index: number): Schema => ({ $ref: `#/$defs/d${String(index)}` });

/** Each definition of these refers to the next one as often as `properties` has fields. */
function chained(steps: number, properties: (next: Schema) => Schema, last: Schema = { type: "string" }): Schema {
  const definitions = Array.from({ length: steps }, (_, index) => [
    `d${String(index)}`,
    properties(reference(index + 1)),
  ]);
  const $defs = { ...(Object.fromEntries(definitions) as Schema), [`d${String(steps)}`]: last };
  return { type: "object", properties: { x: reference(0) }, $defs };
}

const doubled = (next: Schema): Schema => ({ type: "object", properties: { a: next, b: next } });
const generate = (schema: Schema): unknown => generateCrd({ schema, chartName: "a", chartVersion: "1.0.0" });

const nested = (levels: number): Schema =>
  Array.from({ length: levels }).reduce<Schema>((inner) => ({ type: "object", properties: { a: inner } }), {
    type: "string",
  });

it.each<[string, Schema, string]>([
  ["doubles at each $ref", chained(30, doubled), "more than 20000 parts"],
  [
    "repeats a long text by $ref",
    chained(12, doubled, { type: "string", description: "x".repeat(10_000) }),
    "characters",
  ],
  [
    "repeats a long list of required fields",
    chained(12, doubled, { type: "object", properties: { a: {} }, required: Array.from({ length: 2000 }, String) }),
    "characters",
  ],
  ["leads from one $ref to the next", chained(200, (next) => next), "more than 64 others"],
  ["is deep", { type: "object", properties: { x: nested(5000) } }, "more than 64 others"],
  ["has a long $ref", { properties: { x: { $ref: `#/${"a/".repeat(10_000)}` } } }, "a $ref has more than 1024"],
])("153: a chart's schema that %s is refused before it is converted", (_, schema, detail) => {
  expect(() => generate(schema)).toThrow(expect.objectContaining({ code: "REL_CHART_SCHEMA" }) as Error);
  expect(() => generate(schema)).toThrow(detail);
});

it("153: references within the limits are followed", () => {
  const text = JSON.stringify(generate(chained(10, doubled)));
  expect(text.split('"type":"string"').length).toBeGreaterThan(1024);
});

it("153: the linter looks at each definition once", () => {
  const before = process.cpuUsage().user;
  expect(lintSchema(chained(40, doubled)).filter(({ message }) => message.includes("refers to itself"))).toEqual([]);
  // 2^40 steps take hours.
  expect(process.cpuUsage().user - before).toBeLessThan(5_000_000);
});
