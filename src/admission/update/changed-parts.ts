import { isDeepStrictEqual } from "node:util";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { userAnnotations } from "../decide/policy-input.ts";
import type { Update } from "./change.ts";

export const annotation = (object: WorkloadObject, name: string): string | undefined =>
  object.metadata.annotations?.[name];

const { decision, seal, paused, reevaluate, startNow, run } = ANNOTATION;
const OURS = [decision, seal, paused, reevaluate, startNow, run] as const;

/** Changes of labels, finalizers, foreign annotations and the status need no new decision. */
export const concernsUs = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.spec, oldObject.spec) ||
  OURS.some((name) => annotation(object, name) !== annotation(oldObject, name));

/** Labels and annotations that rules can read: a change of them alone is checked, and keeps the decision. */
export const changesMetadata = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {}) ||
  !isDeepStrictEqual(userAnnotations(object.metadata.annotations), userAnnotations(oldObject.metadata.annotations));
