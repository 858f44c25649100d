import { withSource } from "../../model/with-source.ts";
import { isDeepStrictEqual } from "node:util";
import type { Decision, Denial, Placement } from "../../model/decision.ts";
import { isHeldBack, isInstalled, restoredPause, startReason } from "../../model/decision-annotation/pause.ts";
import { ANNOTATION } from "../../model/names.ts";
import { makePatch } from "../../patch/make-patch.ts";
import { type CompactDecision, type Move, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import { bare, type Change, isHeldByUs, specOf, type Update, waits } from "./change.ts";
import { addedDenials } from "./added-denials.ts";
import { userAnnotations } from "../decide/policy-input.ts";
import { checkAlone, decide, decideAlone } from "../decide/decide.ts";
import { fixedFieldDenials, lossWarnings } from "./fixed-fields.ts";
import { inputsHash, sameInputs } from "../../model/decision-annotation/still-holds.ts";
import { type AdmissionContext, type DecisionRequest, type Outcome, type Unfinished, unchanged } from "../types.ts";
import { reconsider } from "./reconsider.ts";
import { redecideInPlace } from "./redecide-in-place.ts";
import { madeJustNow } from "./made-just-now.ts";
import { type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { type Standing, standingOf } from "../../model/decision-annotation/standing.ts";
import type { WorkloadObject } from "../../model/workload.ts";
import { denyDecision, denyInstead, writeDecision, writing } from "../respond/write-decision.ts";
import { formatGrams } from "../../model/intensity.ts";
import { moveBetween, shareSaved, withMove } from "./worth-moving.ts";

/** The costs of an immediate start. */
function hurried(decision: Decision, { placement }: CompactDecision): Decision {
  const [before, after] = [placement.gramsCO2, decision.placement?.gramsCO2 ?? null];
  const price = before === null || after === null ? "" : `: ${formatGrams(after)} instead of ${formatGrams(before)}`;
  const message = `starts now and not at ${placement.start}${price}`;
  return { ...decision, warnings: [...decision.warnings, { code: "START_NOW", message }] };
}

function hurriedMove(from: Placement, to: Placement, nowSeconds: number, reason: string): Move {
  const gain = shareSaved(from.gramsCO2, to.gramsCO2);
  return moveBetween(from, to, nowSeconds, { gain, why: `start-now: ${reason}` });
}

/**
 * An object that waits for its start and has a reason to start at once: decided again for now, in the best place for
 * now. The pause stays: the controller removes it within seconds and writes the Event.
 */
function startAtOnce(change: Change, reason: string): Outcome {
  const { update, context, earlier } = change;
  const decision = decideAlone({ ...context, kind: update.kind, object: bare(change), operation: "UPDATE" });
  const { placement } = decision;
  return writeDecision({
    ...writing(context),
    object: update.object,
    decision: hurried(decision, earlier),
    moves:
      placement === null
        ? []
        : withMove(earlier.moves, hurriedMove(earlier.placement, placement, context.nowSeconds, reason)),
  });
}

const annotation = (object: WorkloadObject, name: string): string | undefined => object.metadata.annotations?.[name];

const { decision, seal, paused, reevaluate, startNow } = ANNOTATION;
const OURS = [decision, seal, paused, reevaluate, startNow] as const;

/** Changes of labels, finalizers, foreign annotations and the status need no new decision. */
const concernsUs = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.spec, oldObject.spec) ||
  OURS.some((name) => annotation(object, name) !== annotation(oldObject, name));

/** Labels and annotations that rules can read: a change of them alone is checked, and keeps the decision. */
const changesMetadata = ({ object, oldObject }: Update): boolean =>
  !isDeepStrictEqual(object.metadata.labels ?? {}, oldObject.metadata.labels ?? {}) ||
  !isDeepStrictEqual(userAnnotations(object.metadata.annotations), userAnnotations(oldObject.metadata.annotations));

/**
 * Whose decision the object has. Where a controller recorded a release of the object, or lists one in the status, an unbound one
 * is its own: controllers of others bind nothing.
 */
function judge({ oldObject }: Update, { owners }: AdmissionContext, earlier: VerifiedDecision): Standing {
  const standing = standingOf(earlier, oldObject.metadata, owners.ownerOf(earlier.seal.id));
  if (standing === "own") return standing;
  const { provider, region } = earlier.decision.placement;
  if (owners.isInstalled(oldObject, `${provider}/${region}`)) return "own";
  return standing === "unbound" && isInstalled(oldObject) ? "own" : standing;
}

function readChange(update: Update, context: AdmissionContext, { decision: earlier, seal }: VerifiedDecision): Change {
  const [next, old] = [specOf(update.object), specOf(update.oldObject)];
  const kept = earlier.written.filter(
    (field) => next[field] === undefined || isDeepStrictEqual(next[field], old[field]),
  );
  const values = Object.fromEntries(kept.flatMap((field) => (old[field] === undefined ? [] : [[field, old[field]]])));
  return { update, context, earlier, standing: judge(update, context, { decision: earlier, seal }), kept, values };
}

/** Restores the earlier decision's fields and annotations on an object with unchanged inputs. */
function restore(change: Change, warnings: string[]): Outcome {
  const { update, values } = change;
  const { object, oldObject } = update;
  const annotations: Record<string, string | null> = {};
  for (const name of [ANNOTATION.decision, ANNOTATION.seal] as const)
    annotations[name] = annotation(oldObject, name) ?? null;
  if (waits(change)) Object.assign(annotations, restoredPause(object));
  return { allowed: true, patch: makePatch(object, { spec: values, annotations }), warnings, decision: null };
}

/** The reason to start a waiting object at once; null if it does not wait, or nobody asked for it. */
const hurry = (change: Change): string | null => (waits(change) ? startReason(change.update.object) : null);

const sameSpec = ({ update, values }: Change): boolean =>
  isDeepStrictEqual({ ...specOf(update.object), ...values }, specOf(update.oldObject));

/** Only a change that is denied is worth a search for remedies. */
function denyAdded(request: DecisionRequest, { denials }: Decision, added: readonly Denial[]): Outcome {
  const decision = decideAlone(request);
  const shown = decision.denials.filter((_, index) => added.some((entry) => entry === denials[index]));
  return denyDecision({ ...decision, denials: shown }, request.policy.texts);
}

/**
 * Checks the change alone against the policy. Earlier denials become warnings, so that an object with old problems can
 * still be changed.
 */
function keepDecision(change: Change): Outcome {
  const { update, context, values } = change;
  const sameReason = annotation(update.object, startNow) === annotation(update.oldObject, startNow);
  if (sameSpec(change) && sameReason && !changesMetadata(update)) return restore(change, []);
  const checked = { ...context, kind: update.kind, operation: "UPDATE", started: true, pins: values } as const;
  const request = { ...checked, object: bare(change) };
  const decision = checkAlone(request);
  const fixed = update.kind === "VmTemplate" && isInstalled(update.oldObject) ? fixedFieldDenials(change) : [];
  if (fixed.length > 0) return denyInstead(decision, fixed, context.policy.texts);
  const lost = lossWarnings(change).map(({ code, message }) => `${message} [${code}]`);
  if (decision.allowed) return restore(change, lost);
  const before = checkAlone({ ...checked, object: { ...update.oldObject } }).denials;
  const added = addedDenials(decision.denials, before);
  if (added.length > 0) return denyAdded(request, decision, added);
  return restore(change, [...lost, ...decision.denials.map((entry) => `${withSource(entry)} [${entry.code}]`)]);
}

/** Only an object that has its own decision has a place to keep: a copy of another one is decided like a new object. */
function redecide(change: Change): Outcome | Unfinished {
  const { update, context, standing } = change;
  const mayMove = annotation(update.object, ANNOTATION.allowMove) === "true";
  if (standing === "own" && !isHeldBack(update.oldObject) && !mayMove) return redecideInPlace(change);
  const step = decide({ ...context, kind: update.kind, object: bare(change), operation: "UPDATE" });
  if (step.state !== "decided") return step;
  const { decision } = step;
  const replaces = standing === "own" ? [] : change.kept;
  return writeDecision({
    ...writing(context),
    object: update.object,
    decision,
    heldBack: isHeldByUs(change),
    replaces,
  });
}

/** Whether no rule and no decision reads the change, or it was checked in the first call. */
const isUnread = (update: Update, context: AdmissionContext): boolean =>
  (!concernsUs(update) && !changesMetadata(update)) || madeJustNow(update, context);

/** An object without a valid decision, for instance one from before Landfall. */
function decideFirst({ kind, object }: Update, context: AdmissionContext): Outcome | Unfinished {
  const step = decide({ ...context, kind, object, operation: "UPDATE" });
  return step.state === "decided" ? writeDecision({ ...writing(context), object, decision: step.decision }) : step;
}

/** A change of labels alone is no reason to decide an object from before Landfall. */
const decideUndecided = (update: Update, context: AdmissionContext, ifBetter: boolean): Outcome | Unfinished =>
  ifBetter || concernsUs(update) ? decideFirst(update, context) : unchanged;

/**
 * An object without a valid decision. If its release is recorded where its decision says, only the key was lost: it stays there, and
 * its next decision is signed by a key that is known.
 */
function admitUnverified(update: Update, context: AdmissionContext, ifBetter: boolean): Outcome | Unfinished {
  const { oldObject } = update;
  const decision = readDecision(oldObject);
  const { provider, region } = decision?.placement ?? {};
  if (decision === null || !context.owners.isInstalled(oldObject, `${provider ?? ""}/${region ?? ""}`))
    return decideUndecided(update, context, ifBetter);
  if (!concernsUs(update)) return unchanged;
  return redecide(readChange(update, context, { decision, seal: { use: "legacy", id: "" } }));
}

/**
 * Handles an update. Most need nothing; an object that lacks what admission wrote gets it back; only changed inputs, or
 * a new `landfall.dev/reevaluate`, are decided again. `ifBetter`: with the command to move the object if that is
 * better.
 */
export function admitUpdate(update: Update, context: AdmissionContext, ifBetter: boolean): Outcome | Unfinished {
  if (!ifBetter && isUnread(update, context)) return unchanged;
  const verified = verifyDecision(context.keys, update.oldObject);
  if (verified === null) return admitUnverified(update, context, ifBetter);
  const change = readChange(update, context, verified);
  if (change.standing === "foreign") return concernsUs(update) || ifBetter ? redecide(change) : unchanged;
  return admitDecided(change, ifBetter);
}

function admitDecided(change: Change, ifBetter: boolean): Outcome | Unfinished {
  const { earlier } = change;
  const isSame = change.kept.length === earlier.written.length && sameInputs(inputsHash(bare(change), []), earlier);
  const reason = hurry(change);
  if (reason !== null) return startAtOnce(change, reason);
  if (ifBetter && isSame && sameSpec(change)) return reconsider(change);
  return isSame ? keepDecision(change) : redecide(change);
}
