import { withSource } from "../check/denial.ts";
import type { Decision, Denial, Placement } from "../../model/decision.ts";
import { compactDecision, type Move, placementFields } from "../../model/decision-annotation/compact-decision.ts";
import { ANNOTATION } from "../../model/names.ts";
import { pauseFor, startsLater } from "../../model/decision-annotation/pause.ts";
import type { MessageTemplates } from "../../model/policy.ts";
import { type Desired, makePatch } from "../../patch/make-patch.ts";
import { runOf } from "../../model/runs/run-of.ts";
import { denialText, fillTemplates } from "./denial-text.ts";
import { claimOf } from "./sign.ts";
import {
  type AdmissionContext,
  type AdmissionRequest,
  type Denied,
  type Measure,
  type Outcome,
  unmeasured,
} from "../types.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { signDecision } from "../../model/decision-annotation/signature.ts";
import type { WorkloadObject, WrittenField } from "../../model/workload.ts";

export interface Decided {
  object: WorkloadObject;
  decision: Decision;
  keys: KeyRing;
  /** The request that is answered; null for a preview. */
  request: AdmissionRequest | null;
  nowSeconds: number;
  /** Templates for denials; null if the bundle has none, or no one reads them. */
  texts: MessageTemplates | null;
  /** Whether Landfall holds the object back because of an earlier decision. */
  heldBack?: boolean;
  /** Moves before the start, this decision included. */
  moves?: Move[];
  /** Fields that an earlier decision wrote: those that this one does not decide are removed. */
  replaces?: readonly WrittenField[];
  /** The run that an earlier decision was made for, if this one keeps its place; omitted for the run that the object asks for. */
  run?: string;
  /** The release that did not count besides the object; null or omitted for none. */
  takesOver?: string | null;
  /** The reason in `landfall.dev/start-now` that was written for an earlier run; omitted for none. */
  pastReason?: string | undefined;
  /** When the run was asked for, in seconds since 1970; omitted for the creation of the object. */
  askedAt?: number | undefined;
  /** Measures the signing; not measured if omitted. */
  measure?: Measure | undefined;
}

/** The parts of the context that are needed to write a decision. */
export const writing = ({
  keys,
  request,
  nowSeconds,
  policy,
  takesOver,
  pastReason,
  askedAt,
  measure,
}: AdmissionContext): Pick<
  Decided,
  "keys" | "request" | "nowSeconds" | "texts" | "takesOver" | "pastReason" | "askedAt" | "measure"
> => ({
  keys,
  request: request ?? null,
  nowSeconds,
  texts: policy.texts,
  takesOver: takesOver ?? null,
  pastReason,
  askedAt,
  measure,
});

/** The object with these values in its spec; null removes one. The signature covers the spec as the patch leaves it. */
function withFields(object: WorkloadObject, fields: Record<string, unknown>): WorkloadObject {
  const merged = Object.entries({ ...object.spec, ...fields }).filter(([, value]) => value !== null);
  return { ...object, spec: Object.fromEntries(merged) };
}

/** The values that are written into the object, and the subject of its signature: a nonce, or the object's uid. */
function desired(decided: Decided, placement: Placement): { values: Desired; signatureId: string } {
  const { object, decision, keys, request, nowSeconds, moves, replaces = [], takesOver = null } = decided;
  const { measure = unmeasured } = decided;
  const values = placementFields(placement);
  const spec = Object.fromEntries([
    ...replaces.map((field) => [field, null] as const),
    ...decision.written.flatMap((field) => (values[field] === null ? [] : [[field, values[field]] as const])),
  ]);
  const { held, annotations } = pauseFor(object, startsLater(placement.start, nowSeconds), decided.heldBack);
  const { run = runOf(object), pastReason = "", askedAt } = decided;
  const kept = { decision, placement, held, moves: moves ?? [], run, takesOver, pastReason, askedAt };
  const compact = compactDecision(kept);
  const { id, signature } = measure("sign", () => {
    const claim = claimOf({ keys, request, object, compact, nowSeconds });
    return { id: claim.id, signature: signDecision(keys, withFields(object, spec), compact, claim) };
  });
  const written = { ...annotations, [ANNOTATION.decision]: compact, [ANNOTATION.seal]: signature };
  return { values: { spec, annotations: written }, signatureId: id };
}

/** The outcome of a denied decision. */
export function denyDecision(decision: Decision, texts: MessageTemplates | null): Denied {
  const { summary: _summary, ...told } = decision;
  const denied: Decision = { ...told, allowed: false, placement: null };
  const codes = [...new Set(decision.denials.map((entry) => entry.code))];
  const { text, causes, degraded } = denialText(denied, texts);
  return {
    allowed: false,
    message: text,
    codes,
    ...(causes === undefined ? {} : { causes }),
    decision: { ...denied, degraded: [...denied.degraded, ...degraded] },
  };
}

/** A denial for these reasons, even if the decision itself allows the object. */
export function denyInstead(decision: Decision, reasons: Denial[], texts: MessageTemplates | null): Denied {
  const { denials, degraded } = fillTemplates(reasons, decision, texts);
  return denyDecision({ ...decision, denials, degraded: [...decision.degraded, ...degraded] }, texts);
}

/** Nearly every decision has them, and no one can act on them: they stand in the decision and in `landfall explain` alone. */
const QUIET: readonly string[] = ["LATENCY_ESTIMATED", "POL_LATENCY_ESTIMATED", "POL_PRICE_UNKNOWN"];

/** The decision as an outcome: a patch that writes it into `object`, or a denial. */
export function writeDecision(decided: Decided): Outcome {
  const { decision, object } = decided;
  if (!decision.allowed || decision.placement === null) return denyDecision(decision, decided.texts);
  const notes = [...decision.warnings, ...decision.degraded]
    .filter(({ code }) => !QUIET.includes(code))
    .map((note) => `${withSource(note)} [${note.code}]`);
  const warnings = [...(decision.summary === undefined ? [] : [decision.summary]), ...notes];
  const { values, signatureId } = desired(decided, decision.placement);
  return { allowed: true, patch: makePatch(object, values), warnings, decision, signatureId };
}
