import { isObject } from "./json.ts";

/** The fields of Kubernetes objects that Landfall reads; all others pass through unchanged. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  generation?: number;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
}

export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** An object with unchecked fields. */
export interface Resource extends KubernetesObject {
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
  data?: Record<string, unknown>;
  /** Of Secrets. */
  type?: string;
}

/** `group/Kind`, the key of tables by kind: it stays when a version changes. */
export const groupKindOf = ({ apiVersion, kind }: Pick<KubernetesObject, "apiVersion" | "kind">): string =>
  `${apiVersion.split("/")[0] ?? ""}/${kind}`;

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason: string;
  message: string;
  lastTransitionTime: string;
}

/** A namespace's data for a decision. */
export interface NamespaceData {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** A condition without its transition time. */
export type ConditionInput = Omit<Condition, "lastTransitionTime">;

/** The conditions in a status; invalid entries are omitted. */
export function conditionsOf(resource: Pick<Resource, "status">): Condition[] {
  const given = resource.status?.["conditions"];
  return Array.isArray(given) ? given.filter((c): c is Condition => isObject(c) && typeof c["type"] === "string") : [];
}

/** The old conditions with these merged in; the transition time changes only with the status. `now` is RFC 3339. */
export function mergeConditions(old: Condition[], wanted: ConditionInput[], now: string): Condition[] {
  const merged = wanted.map((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
    return { ...condition, lastTransitionTime };
  });
  const types = new Set(wanted.map(({ type }) => type));
  return [...old.filter(({ type }) => !types.has(type)), ...merged];
}
