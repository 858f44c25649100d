import type { KeyObject } from "node:crypto";
import type { Decision, Denial, Placement } from "../../model/decision.ts";
import type { Move } from "../../model/move.ts";
import { ANNOTATION } from "../../model/names.ts";
import { startReason } from "../../model/start-reason.ts";
import { parseTime } from "../../model/time.ts";
import type { DenialTexts } from "../../model/texts.ts";
import { type Desired, makePatch } from "../../patch/make-patch.ts";
import { compactDecision, readCompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import { denialText } from "./denial-text.ts";
import type { AdmissionContext, Denied, Outcome } from "../outcome.ts";
import { inOwnWords } from "./message-templates.ts";
import { placementFields } from "../../model/decision-annotation/placement-fields.ts";
import { sealDecision } from "../../model/decision-annotation/signature.ts";
import type { WorkloadObject } from "../../model/workload-object.ts";

/** Whether an object with this placement waits for its start, at `now` in seconds since 1970. */
export const startsLater = (start: string, nowSeconds: number): boolean => (parseTime(start) ?? 0) > nowSeconds;

export interface Decided {
  object: WorkloadObject;
  decision: Decision;
  sealKey: KeyObject;
  nowSeconds: number;
  /** The words of a denial; null where there are none of the bundle's, or nobody reads them. */
  texts: DenialTexts | null;
  /** Landfall holds the object back because of an earlier decision. */
  heldBack?: boolean;
  /** How it was moved before its start, this decision included. */
  moves?: Move[];
}

/** What writing a decision needs of the context. */
export const writing = ({
  sealKey,
  nowSeconds,
  policy,
}: AdmissionContext): Pick<Decided, "sealKey" | "nowSeconds" | "texts"> => ({
  sealKey,
  nowSeconds,
  texts: policy.texts,
});

interface Pause {
  /** Whether the pause is Landfall's from now on, so that a controller may lift it. */
  held: boolean;
  annotations: Record<string, string | null>;
}

/** What a person's own pause is turned into where the start lies ahead: one annotation alone cannot say who set it. */
export const PAUSED_BY_USER = "paused by its user";

/** Whether a pause on the object is Landfall's. Objects that an earlier version decided do not say so: no start is lost. */
function isOurs({ object, heldBack }: Pick<Decided, "object" | "heldBack">): boolean {
  const text = object.metadata.annotations?.[ANNOTATION.decision];
  return readCompactDecision(text)?.held !== false && (heldBack ?? text !== undefined);
}

/** Until a start that lies ahead: beside a person's own pause, which then has its own name. */
function pauseUntilStart(paused: boolean, ours: boolean, hold: string): Pause {
  const byUser = paused && !ours && hold === "" ? { [ANNOTATION.hold]: PAUSED_BY_USER } : {};
  return { held: true, annotations: { [ANNOTATION.paused]: "true", ...byUser } };
}

/** Holds the object back until a start that lies ahead, and never takes away what a person holds back. */
function pause(decided: Pick<Decided, "object" | "heldBack">, later: boolean): Pause {
  const { annotations = {} } = decided.object.metadata;
  const paused = annotations[ANNOTATION.paused] === "true";
  const hold = annotations[ANNOTATION.hold] ?? "";
  const ours = isOurs(decided);
  if (later) return pauseUntilStart(paused, ours, hold);
  if (!ours) return { held: false, annotations: {} };
  if (decided.heldBack === true && hold === "") return { held: false, annotations: { [ANNOTATION.paused]: null } };
  // Who has a reason to start it at once ends what holds it back.
  const hurried = startReason(decided.object) !== null;
  return { held: paused, annotations: hurried ? { [ANNOTATION.hold]: null } : {} };
}

function desired(decided: Decided, placement: Placement): Desired {
  const { object, decision, sealKey, nowSeconds, moves } = decided;
  const values = placementFields(placement);
  const spec = Object.fromEntries(
    decision.written.flatMap((field) => (values[field] === null ? [] : [[field, values[field]]])),
  );
  const { held, annotations } = pause(decided, startsLater(placement.start, nowSeconds));
  const compact = compactDecision({ decision, placement, held, moves: moves ?? [] });
  const seal = sealDecision(sealKey, object, compact);
  return { spec, annotations: { ...annotations, [ANNOTATION.decision]: compact, [ANNOTATION.seal]: seal } };
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
