import { LandfallError } from "../../errors.ts";
import { hasMoreValues, OBJECT_LIMITS } from "../../model/formats/count-json.ts";
import { isObject } from "../../model/json.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { COMPOSITION_GROUP, isKind, type Kind, KINDS } from "../../model/names.ts";
import type { Manifest } from "../contract/trying.ts";

/** An object that someone wrote, with what names it. */
export interface Written {
  kind: Kind;
  namespace: string;
  name: string;
  object: Resource;
}

/** Whether a value has maps and lists within each other below this depth. */
const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)));

const refuse = (detail: string, correction: string): never => {
  throw new LandfallError("CONSOLE_MANIFEST", { detail, correction });
};

function parsed(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse("it is not JSON", "open the page again");
  }
  return isObject(value) ? value : refuse("it is not a map", "write apiVersion, kind, metadata and spec");
}

const textIn = (fields: Record<string, unknown>, name: string): string => {
  const { [name]: value } = fields;
  return typeof value === "string" ? value : "";
};

/** Reads an object of one of Landfall's kinds. Throws CONSOLE_MANIFEST. */
export function readManifest({ namespace, object: text }: Manifest): Written {
  // The console decides in the process that serves it, so that it reads no larger objects than the webhook does.
  const { nodes, depth } = OBJECT_LIMITS;
  if (hasMoreValues(text, nodes))
    return refuse(`it has more than ${String(nodes)} values`, "make it smaller; its reference lists the limits");
  const value = parsed(text);
  if (isDeeper(value, depth))
    return refuse(`it has more than ${String(depth)} levels of nesting`, "write the fields of its reference");
  const { metadata } = value;
  const [kind, apiVersion] = [textIn(value, "kind"), textIn(value, "apiVersion")];
  if (!isKind(kind)) return refuse(`kind is ${JSON.stringify(kind)}`, `write kind: ${KINDS.join(" or kind: ")}`);
  if (!apiVersion.startsWith(`${COMPOSITION_GROUP}/`))
    return refuse(`apiVersion is ${JSON.stringify(apiVersion)}`, `write a version of ${COMPOSITION_GROUP}`);
  if (!isObject(metadata)) return refuse("metadata is missing", "write metadata: {name: web}");
  const name = textIn(metadata, "name");
  if (name === "") return refuse("metadata.name is missing", "write a name");
  const own = textIn(metadata, "namespace") || namespace;
  if (own === "") return refuse("metadata.namespace is missing", "write the namespace, or choose one above");
  const object = { ...value, apiVersion, kind, metadata: { ...metadata, name, namespace: own } } as Resource;
  return { kind, namespace: own, name, object };
}
