import { canonicalJson } from "../model/json.ts";
import type { ObjectMeta, Resource } from "../model/kubernetes.ts";

/** Decides whether a change of an object reaches its handler. */
export type Predicate = (before: Resource | null, now: Resource) => boolean;

/** Passes new objects, and changes of one of these fields of metadata. */
export const metadataChanged =
  (...fields: (keyof ObjectMeta)[]): Predicate =>
  (before, now) => {
    const valuesOf = ({ metadata }: Resource): string => canonicalJson(fields.map((field) => metadata[field]));
    return before === null || valuesOf(before) !== valuesOf(now);
  };
