import { isDeepStrictEqual } from "node:util";
import { DECIDING, describing } from "../../model/decision-annotation/annotation-roles.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import type { Update } from "./change.ts";

export const annotation = (object: WorkloadObject, name: string): string | undefined =>
  object.metadata.annotations?.[name];

/** Changes of labels, finalizers, foreign annotations and the status need no new decision. */
export const concernsUs = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.spec, oldObject.spec) ||
  DECIDING.some((name) => annotation(object, name) !== annotation(oldObject, name));

/** Labels and annotations that rules can read: a change of them alone is checked, and keeps the decision. */
export const changesMetadata = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {}) ||
  !isDeepStrictEqual(describing(object.metadata.annotations), describing(oldObject.metadata.annotations));
