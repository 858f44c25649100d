/** The object that a key of a queue names: `kind/namespace/name`, where `kind` may be its plural. */
export interface KeyedObject {
  kind: string;
  namespace: string;
  name: string;
}

/** The object of a key; empty texts for what the key lacks. */
export function objectIn(key: string): KeyedObject {
  const [kind = "", namespace = "", name = ""] = key.split("/");
  return { kind, namespace, name };
}

/** The namespace of a key: in queues that serve namespaces in turn, its group. */
export const namespaceOf = (key: string): string => objectIn(key).namespace;
