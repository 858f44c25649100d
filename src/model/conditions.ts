import { isObject } from "./json.ts";
import type { Condition, Resource } from "./kubernetes.ts";

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
