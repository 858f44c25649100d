import type { AdmissionRequest, Outcome } from "../../../src/admission/types.ts";
import type { Authentication } from "../../../src/model/caller.ts";
import { pointerKey } from "../../../src/model/json.ts";
import { ANNOTATION } from "../../../src/model/names.ts";
import { formatTime } from "../../../src/model/time.ts";

/** Tells a dry run that asks for it how its caller was authenticated, and when the bundle expires. */
export function answerProbe(
  outcome: Outcome,
  { object, dryRun }: AdmissionRequest,
  authentication: Authentication = "client-certificate",
  expires: number | null = null,
): Outcome {
  if (!outcome.allowed || dryRun !== true || object.metadata.annotations?.[ANNOTATION.door] === undefined)
    return outcome;
  const told = {
    [ANNOTATION.door]: authentication,
    ...(expires === null ? {} : { [ANNOTATION.bundleExpires]: formatTime(expires) }),
  };
  const added = Object.entries(told).map(([name, value]) => ({
    ...{ op: "add" as const, path: `/metadata/annotations/${pointerKey(name)}`, value },
  }));
  return { ...outcome, patch: [...outcome.patch, ...added] };
}
