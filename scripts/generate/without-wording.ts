/** What the schemas of the kinds say for messages: src/model/wrong-value/schema-node.ts reads it. */
const isWording = (key: string, value: unknown): boolean =>
  key.startsWith("x-") && key !== "x-kubernetes-preserve-unknown-fields"
    ? true
    : (key === "title" && typeof value === "string") || (key === "examples" && Array.isArray(value));

/** A reviver or replacer of JSON that leaves this out: neither a check nor a CRD needs it. */
export const withoutWording = (key: string, value: unknown): unknown => (isWording(key, value) ? undefined : value);
