import { isDeepStrictEqual } from "node:util";
import { isConfirmed } from "../../model/decision-annotation/standing.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import type { PatchOperation } from "../../model/decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { makePatch } from "../../patch/make-patch.ts";
import type { AdmissionRequest } from "../types.ts";
import { annotation, type Update } from "./change.ts";

/** Whether a controller confirms the object as it is stored: the request changes nothing else. */
export function confirms(request: AdmissionRequest, keys: KeyRing, nowSeconds: number): boolean {
  const { object, oldObject } = request;
  if (oldObject === null || !asksConfirmation(request) || object.metadata.uid !== oldObject.metadata.uid) return false;
  return isDeepStrictEqual(readOf(object), readOf(oldObject)) && isConfirmed(keys, object, nowSeconds);
}

/** The parts of the object that a decision reads. */
function readOf(object: WorkloadObject): unknown {
  const { labels = {}, annotations = {} } = withoutConfirmation(object).metadata;
  return { spec: object.spec, labels, annotations };
}

export function withoutConfirmation(object: WorkloadObject): WorkloadObject {
  const { [ANNOTATION.confirm]: confirmation, ...annotations } = object.metadata.annotations ?? {};
  return confirmation === undefined ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

/** Removes the confirmation from the object; empty if there is none. */
export const removeConfirmation = (object: WorkloadObject): PatchOperation[] =>
  makePatch(object, { spec: {}, annotations: { [ANNOTATION.confirm]: null } });

/** Whether a request asks for a confirmation, rightly or not. One that the stored object has was written while no webhook was called. */
export function asksConfirmation({ object, oldObject }: AdmissionRequest): boolean {
  const asked = annotation(object, ANNOTATION.confirm);
  return asked !== undefined && oldObject !== null && asked !== annotation(oldObject, ANNOTATION.confirm);
}

/** The object without the values that an offer wrote. */
function withoutOffered({ object, oldObject }: Update, { decision }: VerifiedDecision): WorkloadObject {
  const [spec, old] = [{ ...object.spec }, oldObject.spec ?? {}];
  for (const field of decision.written) {
    if (old[field] === undefined) Reflect.deleteProperty(spec, field);
    else spec[field] = old[field];
  }
  const annotations = { ...object.metadata.annotations };
  for (const name of [ANNOTATION.decision, ANNOTATION.seal]) {
    const before = annotation(oldObject, name);
    if (before === undefined) Reflect.deleteProperty(annotations, name);
    else annotations[name] = before;
  }
  return { ...object, spec, metadata: { ...object.metadata, annotations } };
}

/** An update as its user asked for it: an offer that it brings along, of an earlier call or of anyone, is not believed. */
export function withoutOffer(update: Update, keys: KeyRing): Update {
  const { object, oldObject } = update;
  if (annotation(object, ANNOTATION.seal) === annotation(oldObject, ANNOTATION.seal)) return update;
  const brought = verifyDecision(keys, object);
  return brought?.signature.use === "offer" ? { ...update, object: withoutOffered(update, brought) } : update;
}
