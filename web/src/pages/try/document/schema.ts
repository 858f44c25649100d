/** The keywords of a JSON Schema that form and completion use. */
export interface SchemaNode {
  type?: string | readonly string[];
  title?: string;
  description?: string;
  examples?: readonly unknown[];
  default?: unknown;
  enum?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  required?: readonly string[];
  properties?: Readonly<Record<string, SchemaNode>>;
  items?: SchemaNode;
  additionalProperties?: boolean | SchemaNode;
  "x-unit"?: string;
  "x-reads"?: string;
}

/** The part of a schema that a key leads to; undefined if it has none. */
export function childOf(node: SchemaNode, key: string | number): SchemaNode | undefined {
  if (typeof key === "number") return node.items;
  const { properties = {}, additionalProperties: others } = node;
  if (Object.hasOwn(properties, key)) return properties[key];
  return typeof others === "object" ? others : undefined;
}

export const schemaAt = (schema: SchemaNode, path: readonly (string | number)[]): SchemaNode | undefined =>
  path.reduce<SchemaNode | undefined>((node, key) => (node === undefined ? undefined : childOf(node, key)), schema);

export const typeOf = ({ type, properties }: SchemaNode): string =>
  (typeof type === "string" ? type : type?.find((one) => one !== "null")) ?? (properties === undefined ? "" : "object");

/** Values that a field may have, if they are few; true and false for a switch. */
export function choicesOf(node: SchemaNode): string[] {
  if (typeOf(node) === "boolean") return ["true", "false"];
  return (node.enum ?? []).filter((value) => value !== null).map(String);
}

const TEXTS: SchemaNode = { type: "object", additionalProperties: { type: "string" } };

/** The schema of a whole object around that of its spec. */
export const objectSchema = (
  spec: SchemaNode,
  { apiVersion, kind }: { apiVersion: string; kind: string },
): SchemaNode => ({
  type: "object",
  required: ["apiVersion", "kind", "metadata", "spec"],
  properties: {
    apiVersion: { type: "string", enum: [apiVersion] },
    kind: { type: "string", enum: [kind] },
    metadata: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", description: "The name of the object in its namespace." },
        namespace: { type: "string", description: "The namespace whose rules and quotas apply." },
        labels: { ...TEXTS, description: "Labels by name." },
        annotations: { ...TEXTS, description: "Annotations by name." },
      },
    },
    spec,
  },
});

const BY_TYPE: Readonly<Record<string, (node: SchemaNode) => unknown>> = {
  array: ({ items }) => (items === undefined ? [] : [exampleOf(items)]),
  object: ({ required = [], properties = {} }) =>
    Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})])),
  integer: ({ minimum = 1 }) => minimum,
};

/** The first example of a value; of a map, those of its required fields. */
function exampleOf(node: SchemaNode): unknown {
  return node.examples?.[0] ?? BY_TYPE[typeOf(node)]?.(node) ?? node.enum?.[0] ?? "";
}

/** A first object of a kind: what is required, with its examples. */
export const firstObject = (
  spec: SchemaNode,
  named: { apiVersion: string; kind: string; namespace: string },
): object => ({
  apiVersion: named.apiVersion,
  kind: named.kind,
  metadata: { name: named.kind === "VmTemplate" ? "my-machine" : "my-cluster", namespace: named.namespace },
  spec: exampleOf({ ...spec, examples: [] }),
});
