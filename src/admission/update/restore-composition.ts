import type { PatchOperation } from "../../model/decision.ts";
import { COMPOSITION_FINALIZER, COMPOSITION_LABEL } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { makePatch } from "../../patch/make-patch.ts";

/**
 * Puts back Krateo's labels and finalizer if `object` lacks them, for instance after `kubectl replace`: without them no
 * controller takes the object for its own, and its resources would outlive it. A label that has another value stays as
 * it is: controllers move objects to other versions that way.
 */
export function restoreComposition(object: WorkloadObject, oldObject: WorkloadObject): PatchOperation[] {
  const { labels: before = {}, finalizers = [] } = oldObject.metadata;
  const lost = Object.values(COMPOSITION_LABEL).flatMap((key) => {
    const value = before[key];
    return value === undefined || object.metadata.labels?.[key] !== undefined ? [] : [[key, value] as const];
  });
  return makePatch(object, {
    spec: {},
    annotations: {},
    labels: Object.fromEntries(lost),
    finalizers: finalizers.filter((finalizer) => finalizer === COMPOSITION_FINALIZER),
  });
}
