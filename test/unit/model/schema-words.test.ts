import { describe, expect, it } from "vitest";
import { isObject } from "../../../src/model/json.ts";
import { accepts, type SchemaNode } from "../../../src/model/wrong-value/schema-node.ts";
import { explainUnknown } from "../../../src/model/wrong-value/explain-unknown.ts";
import settings from "../../../schemas/settings.schema.json" with { type: "json" };
import kaasCluster from "../../../schemas/kaas-cluster.schema.json" with { type: "json" };
import vmTemplate from "../../../schemas/vm-template.schema.json" with { type: "json" };

/** The parts of a schema with their places. */
function partsOf(node: unknown, path: string): [path: string, node: SchemaNode][] {
  if (!isObject(node)) return [];
  const fields = isObject(node["properties"]) ? Object.entries(node["properties"]) : [];
  return [
    [path, node],
    ...fields.flatMap(([name, child]) => partsOf(child, `${path}.${name}`)),
    ...partsOf(node["items"], `${path}[]`),
    ...partsOf(node["additionalProperties"], `${path}.*`),
  ];
}

/** A key is shown by its beginning alone. */
const isWhole = (value: unknown): boolean => !JSON.stringify(value).includes("…");

const parts = [...partsOf(vmTemplate, "VmTemplate"), ...partsOf(kaasCluster, "KaasCluster")];

/** A number's other names stand for it as a text. */
const meant = ({ type }: SchemaNode, value: string): unknown => (type === "integer" ? Number(value) : value);

describe("words of a schema for messages", () => {
  it("are examples that the schema accepts", () => {
    const wrong = parts.flatMap(([path, node]) =>
      (node.examples ?? []).filter((one) => isWhole(one) && !accepts(node, one)).map((one) => [path, one]),
    );
    expect(wrong).toEqual([]);
  });

  it("are other names of values that it accepts", () => {
    const wrong = parts.flatMap(([path, node]) =>
      Object.entries(node["x-values"] ?? {})
        .filter(([, value]) => !accepts(node, meant(node, value)))
        .map((one) => [path, ...one]),
    );
    expect(wrong).toEqual([]);
    expect(parts.filter(([, node]) => node["x-values"] !== undefined).length).toBeGreaterThan(5);
  });

  it.each([
    ["VmTemplate", vmTemplate as SchemaNode, [kaasCluster, settings]],
    ["KaasCluster", kaasCluster as SchemaNode, [vmTemplate, settings]],
  ])("say of %s what each field of the other kind and each setting is for", (_kind, schema, others) => {
    const names = others
      .flatMap(({ properties }) => Object.keys(properties))
      .filter((name) => !Object.hasOwn(schema.properties ?? {}, name) && !name.startsWith("$"));
    const untold = names.filter((name) => {
      const value = {};
      const { correction } = explainUnknown(schema, schema, { parent: "", name, value, siblings: { [name]: value } });
      return correction.startsWith("remove it, as no field corresponds to it");
    });
    expect(untold).toEqual([]);
  });
});
