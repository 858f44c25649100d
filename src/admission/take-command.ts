import type { PatchOperation } from "../model/decision.ts";
import { ANNOTATION, IF_BETTER } from "../model/names.ts";
import { makePatch } from "../patch/make-patch.ts";
import type { AdmissionRequest } from "./types.ts";

export interface Commanded {
  /** The request without the command. */
  request: AdmissionRequest;
  /** Takes the command off the object that was sent; empty where there is none. */
  undo: PatchOperation[];
}

/**
 * `landfall.dev/reevaluate: if-better` is a command and no state: it is taken off the object before anything else is looked
 * at, so that it can be given again, and so that an object that stays as it is is not written at all.
 */
export function takeCommand(request: AdmissionRequest): Commanded {
  const { object, oldObject } = request;
  const { [ANNOTATION.reevaluate]: wish, ...others } = object.metadata.annotations ?? {};
  if (wish !== IF_BETTER) return { request, undo: [] };
  const before = oldObject?.metadata.annotations?.[ANNOTATION.reevaluate];
  const kept = before === undefined || before === IF_BETTER ? {} : { [ANNOTATION.reevaluate]: before };
  const metadata = { ...object.metadata, annotations: { ...others, ...kept } };
  const undone = { [ANNOTATION.reevaluate]: kept[ANNOTATION.reevaluate] ?? null };
  const undo = makePatch(object, { spec: {}, annotations: undone });
  return { request: { ...request, object: { ...object, metadata } }, undo };
}
