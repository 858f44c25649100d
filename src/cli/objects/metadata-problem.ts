import { isObject } from "../../model/json.ts";
import { nearest } from "../../model/text/nearest.ts";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/** Pattern and maximum length of a name (RFC 1123), as in the API server. */
const NAMES = {
  name: { pattern: new RegExp(`^${LABEL}(\\.${LABEL})*$`), longest: 253, also: " or ." },
  namespace: { pattern: new RegExp(`^${LABEL}$`), longest: 63, also: "" },
} as const;

const isScalar = (value: unknown): boolean => typeof value === "boolean" || typeof value === "number";
const noString = (where: string, value: unknown): string =>
  `${where} has to be a string${isScalar(value) ? `, not ${String(value)}: put it in quotes` : ""}`;

function mapProblem(metadata: Record<string, unknown>, field: "labels" | "annotations"): string | null {
  const map = metadata[field] ?? {};
  if (!isObject(map)) return `metadata.${field} has to map names to strings`;
  const wrong = Object.entries(map).find(([, value]) => typeof value !== "string");
  return wrong === undefined ? null : noString(`metadata.${field}[${wrong[0]}]`, wrong[1]);
}

function nameProblem(metadata: Record<string, unknown>, field: "name" | "namespace"): string | null {
  const value = metadata[field];
  if (value === undefined) return null;
  if (value === null) return `metadata.${field} has no value: write a name, or remove the line`;
  if (typeof value !== "string") return noString(`metadata.${field}`, value);
  const { pattern, longest, also } = NAMES[field];
  if (pattern.test(value) && value.length <= longest) return null;
  const allowed = `at most ${String(longest)} of a-z, 0-9, -${also}, with a letter or a digit first and last`;
  return `metadata.${field} ${JSON.stringify(value)} is not a name: ${allowed}`;
}

/** The fields of ObjectMeta (k8s.io/apimachinery/pkg/apis/meta/v1). */
const FIELDS = [
  ...["name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "uid"],
  ...["resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"],
  ...["managedFields", "selfLink"],
];

function unknownField(metadata: Record<string, unknown>): string | null {
  const field = Object.keys(metadata).find((name) => !FIELDS.includes(name));
  if (field === undefined) return null;
  const meant = nearest(field, FIELDS);
  const instead = meant === null ? "remove it, or write it below spec or as a label" : `write ${meant}`;
  return `metadata.${field} is not a field: ${instead}`;
}

/** The problem for which the API server would reject an object's metadata, as text; null for none. */
export const metadataProblem = (metadata: Readonly<Record<string, unknown>> | object): string | null => {
  const fields = metadata as Record<string, unknown>;
  const names = nameProblem(fields, "name") ?? nameProblem(fields, "namespace");
  return names ?? unknownField(fields) ?? mapProblem(fields, "labels") ?? mapProblem(fields, "annotations");
};
