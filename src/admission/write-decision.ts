import type { KeyObject } from "node:crypto";
import type { Decision, Denial, Placement } from "../model/decision.ts";
import type { Move } from "../model/move.ts";
import { ANNOTATION } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import type { DenialTexts } from "../model/texts.ts";
import { type Desired, makePatch } from "../patch/make-patch.ts";
import { compactDecision } from "./compact-decision.ts";
import { denialText } from "./denial-text.ts";
import type { AdmissionContext, Denied, Outcome } from "./outcome.ts";
import { inOwnWords } from "./own-words.ts";
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
  /** The words of a denial; null where there are none of the bundle's, or nobody reads them. */
  texts: DenialTexts | null;
  /** Landfall holds the object back because of an earlier decision. */
  heldBack?: boolean;
  /** How it was moved before its start, this decision included. */
  moves?: Move[];
}

/** What writing a decision needs of the context. */
export const writing = ({ sealKey, now, policy }: AdmissionContext): Pick<Decided, "sealKey" | "now" | "texts"> => ({
  sealKey,
  now,
  texts: policy.texts,
});

function desired({ object, decision, sealKey, now, heldBack, moves }: Decided, placement: Placement): Desired {
  const values = placementFields(placement);
  const spec = Object.fromEntries(
    decision.written.flatMap((field) => (values[field] === null ? [] : [[field, values[field]]])),
  );
  const compact = compactDecision(decision, placement, moves);
  const annotations: Record<string, string | null> = {
    [ANNOTATION.decision]: compact,
    [ANNOTATION.seal]: sealDecision(sealKey, object, compact),
  };
  if (startsLater(placement.start, now)) annotations[ANNOTATION.paused] = "true";
  else if (heldBack === true) annotations[ANNOTATION.paused] = null;
  return { spec, annotations };
}

/** A denial for what the decision says already. */
export function denyDecision(decision: Decision, texts: DenialTexts | null): Denied {
  const denied: Decision = { ...decision, allowed: false, placement: null };
  const codes = [...new Set(decision.denials.map((entry) => entry.code))];
  const { text, degraded } = denialText(denied, texts);
  return {
    allowed: false,
    message: text,
    codes,
    decision: { ...denied, degraded: [...denied.degraded, ...degraded] },
  };
}

/** A denial for these reasons, whatever the decision itself would have allowed. */
export function denyInstead(decision: Decision, reasons: Denial[], texts: DenialTexts | null): Denied {
  const { denials, degraded } = inOwnWords(reasons, decision, texts);
  return denyDecision({ ...decision, denials, degraded: [...decision.degraded, ...degraded] }, texts);
}

/** The decision as an outcome: a patch that writes it into `object`, or a denial. */
export function writeDecision(decided: Decided): Outcome {
  const { decision, object } = decided;
  if (!decision.allowed || decision.placement === null) return denyDecision(decision, decided.texts);
  const warnings = [...decision.warnings, ...decision.degraded].map(({ code, message }) => `${message} [${code}]`);
  return { allowed: true, patch: makePatch(object, desired(decided, decision.placement)), warnings, decision };
}
