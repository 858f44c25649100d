import type { PatchOperation } from "../../model/decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import { runOf } from "../../model/runs/run-of.ts";
import { makePatch } from "../../patch/make-patch.ts";
import type { AdmissionRequest } from "../types.ts";
import { annotation } from "./change.ts";

/**
 * Puts back the `landfall.dev/run` of an update without a value, for instance of a manifest that is applied again: the object still has this run.
 * Returns the request with it, and the operations that write it.
 */
export function keepRun(request: AdmissionRequest): { request: AdmissionRequest; restored: PatchOperation[] } {
  const { object, oldObject } = request;
  if (oldObject === null || runOf(object) !== "") return { request, restored: [] };
  const before = annotation(oldObject, ANNOTATION.run);
  if (before === annotation(object, ANNOTATION.run)) return { request, restored: [] };
  const { [ANNOTATION.run]: _empty, ...others } = object.metadata.annotations ?? {};
  const annotations = before === undefined ? others : { ...others, [ANNOTATION.run]: before };
  const restored = makePatch(object, { spec: {}, annotations: { [ANNOTATION.run]: before ?? null } });
  return { request: { ...request, object: { ...object, metadata: { ...object.metadata, annotations } } }, restored };
}
