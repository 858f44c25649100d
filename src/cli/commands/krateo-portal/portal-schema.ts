import type { SchemaNode as WithTitles } from "../../../model/wrong-value/schema-node.ts";

/** A part of a kind's schema, with the keywords that the form shows. */
export interface SchemaNode extends Pick<
  WithTitles,
  "type" | "title" | "examples" | "enum" | "pattern" | "minimum" | "maximum" | "required" | "x-unit"
> {
  description?: string;
  properties?: Readonly<Record<string, SchemaNode>>;
  items?: SchemaNode;
}

/** The keywords that the portal's form reads. */
export interface PortalNode {
  type: string;
  title?: string;
  description?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  default?: string;
  properties?: Record<string, PortalNode>;
  required?: readonly string[];
  items?: PortalNode;
}

/** The schema of a form, and the fields that it has no control for. */
export interface PortalSchema {
  schema: PortalNode;
  omitted: string[];
  /** Lists of maps, each with the field that stands for an entry. */
  lists: { path: string; displayField: string }[];
}

const typeOf = ({ type }: SchemaNode): string =>
  (typeof type === "string" ? type : type?.find((one) => one !== "null")) ?? "";

/** The label of a field: its name, with its unit. A schema's title says how its value is written. */
const labelOf = (name: string, { "x-unit": unit }: SchemaNode): string =>
  unit === undefined ? name : `${name} (${unit})`;

const sentence = (text: string): string => (/[.:]$/.test(text) ? text : `${text}.`);

function aboutOf({ description, title, examples = [] }: SchemaNode): string | undefined {
  const [example] = examples;
  const shown = typeof example === "string" || typeof example === "number" ? ` Example: ${String(example)}` : "";
  const text = description ?? title;
  return text === undefined ? undefined : sentence(text) + shown;
}

function scalar(name: string, node: SchemaNode): PortalNode | null {
  const type = typeOf(node);
  if (!["string", "integer", "boolean"].includes(type)) return null;
  const { minimum, maximum, pattern } = node;
  const values = node.enum?.filter((value): value is string => value !== null);
  const description = aboutOf(node);
  return {
    ...{ type, title: labelOf(name, node) },
    ...(description === undefined ? {} : { description }),
    ...(values === undefined ? {} : { enum: values }),
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

/** Collects what a schema has besides its fields. `inList`: the portal names fields of an entry from the entry on. */
interface Collected {
  omitted: string[];
  lists: PortalSchema["lists"];
}

interface Named {
  name: string;
  /** From the top of the spec, for people. */
  path: string;
  /** As the portal names it. */
  portalPath: string;
}

function listOf(named: Named, node: SchemaNode, found: Collected): PortalNode | null {
  const { items = {} } = node;
  const shown = { type: "array", title: named.name, ...pick(aboutOf(node)) };
  if (typeOf(items) !== "object") {
    const item = scalar(named.name, items);
    return item === null ? null : { ...shown, items: item };
  }
  const [displayField] = items.required ?? Object.keys(items.properties ?? {});
  if (displayField === undefined) return null;
  found.lists.push({ path: named.portalPath, displayField });
  const entry = fieldsOf(items, { ...named, path: `${named.path}[]`, portalPath: "" }, found);
  return { ...shown, items: entry };
}

const pick = (description: string | undefined): { description?: string } =>
  description === undefined ? {} : { description };

function fieldOf(named: Named, node: SchemaNode, found: Collected): PortalNode | null {
  if (typeOf(node) === "array") return listOf(named, node, found);
  if (node.properties !== undefined)
    return { title: named.name, ...pick(aboutOf(node)), ...fieldsOf(node, named, found) };
  return scalar(named.name, node);
}

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function fieldsOf({ properties = {}, required = [] }: SchemaNode, above: Named, found: Collected): PortalNode {
  const fields = Object.entries(properties).flatMap(([name, node]): [string, PortalNode][] => {
    const path = joined(above.path, name);
    const field = fieldOf({ name, path, portalPath: joined(above.portalPath, name) }, node, found);
    if (field === null) found.omitted.push(path);
    return field === null ? [] : [[name, field]];
  });
  return { type: "object", properties: Object.fromEntries(fields), required };
}

/**
 * The schema of a kind's spec as Krateo's portal reads it: the author's order, names with units as labels, and the keywords that its
 * form knows. Maps with free names, such as tags, have no control there. Pure. The portal's rules: src/widgets/Form/FormGenerator.tsx of
 * krateoplatformops/frontend 1.0.26.
 */
export function portalSchema(spec: SchemaNode): PortalSchema {
  const found: Collected = { omitted: [], lists: [] };
  const schema = fieldsOf(spec, { name: "", path: "", portalPath: "" }, found);
  return { schema, ...found };
}
