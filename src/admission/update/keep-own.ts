import { lacksPause, restoredPause } from "../../model/decision-annotation/pause.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { PlacedWorkload } from "../../model/places/load.ts";
import { takingOver } from "../../model/decision-annotation/compact-decision.ts";
import { withoutFields } from "../../model/decision-annotation/strip-decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import { makePatch } from "../../patch/make-patch.ts";
import { decideAlone } from "../decide/decide.ts";
import { type AdmissionContext, type AdmissionRequest, type Outcome, unchanged } from "../types.ts";
import { signAgain } from "../respond/sign.ts";
import { denyDecision } from "../respond/write-decision.ts";

/**
 * An object that has its own decision: the API server calls again, or it was restored. It keeps its place if the present
 * policy allows it, with the spec that it has by now. `running`: what of a restored object runs; its decision may give it more.
 */
export function keepOwn(
  request: AdmissionRequest,
  context: AdmissionContext,
  verified: VerifiedDecision,
  running?: readonly PlacedWorkload[],
): Outcome {
  const { object, kind, operation } = request;
  const { decision: earlier } = verified;
  const spec = object.spec ?? {};
  const pins = Object.fromEntries(earlier.written.flatMap((field) => (field in spec ? [[field, spec[field]]] : [])));
  const ran = running === undefined ? {} : { running };
  const asked = { ...context, kind, operation, started: true, pins, ...ran } as const;
  const decision = decideAlone({ ...asked, object: withoutFields(object, earlier.written) });
  if (!decision.allowed) return denyDecision(decision, context.policy.texts);
  const text = object.metadata.annotations?.[ANNOTATION.decision] ?? "";
  const compact = takingOver(text, context.takesOver);
  const changed = compact === text ? {} : { [ANNOTATION.decision]: compact };
  const signed = signAgain({ context, request, object, compact, verified, isOwn: false, isChanged: compact !== text });
  const pause = lacksPause(object, earlier, context.nowSeconds) ? restoredPause(object) : {};
  const patch = makePatch(object, { spec: {}, annotations: { ...changed, ...signed?.annotations, ...pause } });
  return { ...unchanged, patch, ...(signed === null ? {} : { signatureId: signed.id }) };
}
