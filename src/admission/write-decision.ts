import type { KeyObject } from "node:crypto";
import type { Decision, Denial, Placement } from "../model/decision.ts";
import { ANNOTATION } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import { type Desired, makePatch } from "../patch/make-patch.ts";
import { compactDecision } from "./compact-decision.ts";
import { denialText } from "./denial-text.ts";
import type { Denied, Outcome } from "./outcome.ts";
import { placementFields } from "./placement-fields.ts";
import { sealDecision } from "./seal.ts";
import type { WorkloadObject } from "./workload-object.ts";

/** Whether an object with this placement waits for its start, at `now` in seconds since 1970. */
export const startsLater = (start: string, now: number): boolean => (parseTime(start) ?? 0) > now;

export interface Decided {
  object: WorkloadObject;
  decision: Decision;
  sealKey: KeyObject;
  now: number;
  /** Landfall holds the object back because of an earlier decision. */
  heldBack?: boolean;
}

function desired({ object, decision, sealKey, now, heldBack }: Decided, placement: Placement): Desired {
  const values = placementFields(placement);
  const spec = Object.fromEntries(
    decision.written.flatMap((field) => (values[field] === null ? [] : [[field, values[field]]])),
  );
  const compact = compactDecision(decision, placement);
  const holdsBack =
    startsLater(placement.start, now) && object.metadata.annotations?.[ANNOTATION.startNow] === undefined;
  const annotations: Record<string, string | null> = {
    [ANNOTATION.decision]: compact,
    [ANNOTATION.seal]: sealDecision(sealKey, object, compact),
  };
  if (holdsBack) annotations[ANNOTATION.paused] = "true";
  else if (heldBack === true) annotations[ANNOTATION.paused] = null;
  return { spec, annotations };
}

/** A denial for these reasons, whatever the decision itself would have allowed. */
export function denyDecision(decision: Decision, denials: Denial[]): Denied {
  const denied: Decision = { ...decision, allowed: false, placement: null, denials };
  const codes = [...new Set(denials.map((entry) => entry.code))];
  return { allowed: false, message: denialText(denied), codes, decision: denied };
}

/** The decision as an outcome: a patch that writes it into `object`, or a denial. */
export function writeDecision(decided: Decided): Outcome {
  const { decision, object } = decided;
  if (!decision.allowed || decision.placement === null) return denyDecision(decision, decision.denials);
  const warnings = [...decision.warnings, ...decision.degraded].map(({ code, message }) => `${message} [${code}]`);
  return { allowed: true, patch: makePatch(object, desired(decided, decision.placement)), warnings, decision };
}
