import type { RunningSize } from "../../model/decision-annotation/system-secrets.ts";
import type { Decision, Denial, Placement } from "../../model/decision.ts";
import { startReason } from "../../model/decision-annotation/pause.ts";
import { inputsHash, sameInputs, specStanding } from "../../model/decision-annotation/still-holds.ts";
import { ANNOTATION, ANOTHER_PLACE, ANOTHER_SIZE, ANOTHER_ZONE, type Command } from "../../model/names.ts";
import { type CompactDecision, type Move, readDecision } from "../../model/decision-annotation/compact-decision.ts";
import {
  annotation,
  bare,
  type Change,
  changesMetadata,
  concernsUs,
  isHeldByUs,
  isNextInPlace,
  isNextRun,
  lacksDecision,
  type Update,
  waits,
} from "./change.ts";
import { anotherPlace, anotherSize } from "./reconsider/another-machine.ts";
import { anotherZone } from "./reconsider/another-zone.ts";
import { withoutOffer } from "./confirm.ts";
import { decide, decideAlone } from "../decide/decide.ts";
import { type AdmissionContext, type Outcome, unchanged, type Unfinished } from "../types.ts";
import { checkAgain, keepDecision, keepOwn, sameSpec } from "./keep-decision.ts";
import { isRecorded } from "../../model/decision-annotation/recorded-decision.ts";
import { recordedDenials, recordedPins } from "./installed/recorded-releases.ts";
import { reconsider } from "./reconsider/reconsider.ts";
import { reconsiderRest } from "./reconsider/reconsider-rest.ts";
import { hasPlace, laterDenials, renamedDenials, startNow } from "./installed/moves.ts";
import { redecideInPlace } from "./installed/redecide-in-place.ts";
import { resumeLate } from "./reconsider/resume-late.ts";
import { retainedParts, retainedPlace } from "./installed/kept-by-retain.ts";
import { madeJustNow } from "./made-just-now.ts";
import { namesKnownKey, type VerifiedDecision, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { isReplaced } from "../../model/decision-annotation/standing.ts";
import { denyInstead, writeDecision, writing } from "../respond/write-decision.ts";
import { formatGrams } from "../../model/places/intensity.ts";
import { moveBetween, shareSaved, withMove } from "./reconsider/worth-moving.ts";
import { tellPastReason } from "./past-reason.ts";
import { readChange } from "./read-change.ts";
import { placeName } from "../../model/workload.ts";
import { runAgain } from "./reconsider/run-again.ts";
import { note } from "../../model/text/note-codes.ts";

/** The costs of an immediate start. */
function withStartNow(decision: Decision, { placement }: CompactDecision): Decision {
  const [before, after] = [placement.gramsCO2, decision.placement?.gramsCO2 ?? null];
  const price = before === null || after === null ? "" : `: ${formatGrams(after)} instead of ${formatGrams(before)}`;
  const message = `starts now and not at ${placement.start}${price}`;
  return { ...decision, warnings: [...decision.warnings, note("START_NOW", message)] };
}

function startNowMove(from: Placement, to: Placement, nowSeconds: number, reason: string): Move {
  const gain = shareSaved(from.gramsCO2, to.gramsCO2);
  return moveBetween(from, to, nowSeconds, { gain, why: `start-now: ${reason}` });
}

/**
 * An object that waits for its start and has a reason to start immediately: decided again for now, in the best place for
 * now. The pause stays: the controller removes it within seconds and writes the Event.
 */
function startAtOnce(change: Change, reason: string): Outcome {
  const { update, context, earlier } = change;
  const decision = decideAlone({ ...context, kind: update.kind, object: bare(change), operation: "UPDATE" });
  const { placement } = decision;
  return writeDecision({
    ...writing(context),
    object: update.object,
    decision: withStartNow(decision, earlier),
    moves:
      placement === null
        ? []
        : withMove(earlier.moves, startNowMove(earlier.placement, placement, context.nowSeconds, reason)),
  });
}

/** The reason to start a waiting object immediately; null if it does not wait, or no one asked for it. */
const startNowReason = (change: Change): string | null => (waits(change) ? startReason(change.update.object) : null);

/** Whether what may move does not: then its machine changes only as far as its provider can change it in place. */
const staysInPlace = ({ earlier }: Change, { placement }: Decision): boolean =>
  placement !== null && placeName(placement) === placeName(earlier.placement);

/** Denials of what a move would do to what runs or is retained. */
const lossDenials = (change: Change, to: Placement | null): Denial[] => [
  ...renamedDenials(change),
  ...laterDenials(change, to),
  ...retainedParts(change),
  ...retainedPlace(change, to),
];

/** Decides an installed object in its place, whether it changes or another run is asked for. */
const inPlace = (change: Change): Outcome => (isNextInPlace(change) ? runAgain(change) : redecideInPlace(change));

/** Only an object that has its own decision has a place to keep: a copy of another one is decided like a new object. */
function redecide(change: Change): Outcome | Unfinished {
  const { update, context, standing } = change;
  const mayMove = annotation(update.object, ANNOTATION.allowMove) === "true";
  const runs = hasPlace(change);
  if (runs && !mayMove) return inPlace(change);
  const object = bare(change);
  const step = decide({ ...context, kind: update.kind, object, operation: "UPDATE", ...startNow(change, object) });
  if (step.state !== "decided") return step;
  const { decision } = step;
  if (runs && staysInPlace(change, decision)) return inPlace(change);
  const lost = decision.allowed ? lossDenials(change, decision.placement) : [];
  if (lost.length > 0) return denyInstead(decision, lost, context.policy.texts);
  const replaces = standing === "own" ? [] : change.kept;
  return writeDecision({
    ...writing(context),
    object: update.object,
    decision,
    heldBack: isHeldByUs(change),
    replaces,
  });
}

/** Whether no rule and no decision reads the change. */
const isUnread = (update: Update): boolean => !concernsUs(update) && !changesMetadata(update);

/**
 * An object without a valid decision, for instance one from before Landfall. What a controller recorded as installed for it stays where it is,
 * and has started.
 */
function decideFirst(update: Update, context: AdmissionContext): Outcome | Unfinished {
  const { kind, object } = update;
  const pins = recordedPins(update, context);
  const step = decide({ ...context, kind, object, operation: "UPDATE", pins });
  if (step.state !== "decided") return step;
  const { decision } = step;
  const denials = recordedDenials(update, context, decision.placement);
  if (denials.length > 0) return denyInstead(decision, denials, context.policy.texts);
  return writeDecision({ ...writing(context), object, decision });
}

/** A change of labels alone does not make Landfall decide an object from before Landfall. */
const decideUndecided = (update: Update, context: AdmissionContext, command: Command | null): Outcome | Unfinished =>
  command !== null || concernsUs(update) ? decideFirst(update, context) : unchanged;

/**
 * An object without a valid decision. If its release is recorded as its decision says, only the key was lost: it stays as it is, and its next
 * decision is signed by a key that is known. Otherwise its decision was written while no webhook was called, and nothing in it counts.
 */
function admitUnverified(update: Update, context: AdmissionContext, command: Command | null): Outcome | Unfinished {
  const { oldObject } = update;
  const decision = readDecision(oldObject);
  const { keys, owners } = context;
  if (decision === null || namesKnownKey(keys, oldObject) || !isRecorded(owners, oldObject, decision))
    return decideUndecided(update, context, command);
  if (!concernsUs(update)) return unchanged;
  return redecide(readChange(update, context, { decision, signature: { use: "legacy", id: "" }, spec: null }));
}

/** The answer to the second call for the same request; null if it is the first, or is to be treated like it. */
function answerAgain(update: Update, context: AdmissionContext): Outcome | null {
  const made = verifyDecision(context.keys, update.object);
  if (made === null || made.signature.use === "offer" || !madeJustNow(update, context)) return null;
  if (specStanding(made, update.object) === "accepted") return checkAgain(update, context, made);
  // A decision that stays is checked and signed again in the usual way.
  const isNew = annotation(update.object, ANNOTATION.decision) !== annotation(update.oldObject, ANNOTATION.decision);
  return isNew ? keepOwn(update, context, made) : null;
}

/** An object that a controller has seen as it is: its offer is decided again, and that decision is final. A final one stays. */
function confirm(update: Update, context: AdmissionContext): Outcome | Unfinished {
  const offer = verifyDecision(context.keys, update.oldObject);
  if (offer?.signature.use !== "offer") return offer === null ? decideFirst(update, context) : unchanged;
  return redecide(readChange(update, context, offer));
}

/** The decision on the stored object. One that was replaced, and put back while no webhook was called, is none. */
function verifyLatest({ oldObject }: Update, { keys, owners }: AdmissionContext): VerifiedDecision | null {
  const verified = verifyDecision(keys, oldObject);
  const latest = owners.latestOf(oldObject.metadata.uid ?? "");
  return verified === null || isReplaced(verified, latest) ? null : verified;
}

/** The sizes that releases of the object run. One whose machine was deleted for a pause, and seen to be gone, leaves nothing behind in another place. */
const recordedSizes = ({ oldObject }: Update, { owners }: AdmissionContext): readonly RunningSize[] =>
  owners.runningOf(oldObject).filter(({ idle }) => idle !== true);

/**
 * Handles an update. Most need nothing; an object that lacks what admission wrote gets it back; only changed inputs, or
 * a new `landfall.dev/reevaluate`, are decided again. `command`: what a value of that asks for.
 */
export function admitUpdate(given: Update, known: AdmissionContext, command: Command | null): Outcome | Unfinished {
  const context = { ...known, recorded: recordedSizes(given, known) };
  if (given.confirms === true) return confirm(given, context);
  if (command === null && isUnread(given)) return unchanged;
  const update = withoutOffer(given, context.keys);
  const answered = command !== null ? null : answerAgain(update, context);
  if (answered !== null) return answered;
  const verified = verifyLatest(update, context);
  if (verified === null) return admitUnverified(update, context, command);
  const change = readChange(update, context, verified);
  if (change.standing === "foreign") return concernsUs(update) || command !== null ? redecide(change) : unchanged;
  return tellPastReason(update, change, admitDecided(change, command));
}

/** Whether the decision may stay: an earlier form of the signature names no object, so it cannot be renewed for one that is not known to have it. */
const mayKeep = (change: Change): boolean =>
  (change.isOwn || change.standing === "own" || change.verified.signature.use !== "legacy") && !isNextRun(change);

/** Does what is asked of an object that is as it was decided. */
function followCommand(change: Change, command: Command): Outcome | Unfinished {
  if (command === ANOTHER_ZONE) return anotherZone(change);
  if (command === ANOTHER_SIZE) return anotherSize(change);
  if (command === ANOTHER_PLACE) return anotherPlace(change);
  return waits(change) ? reconsider(change) : reconsiderRest(change);
}

/**
 * Decides another run on the machine that is there. One that was decided while its user paused it keeps that decision where only the present policy
 * or times that have passed deny another one, as a first run does; but not beyond the budgets.
 */
function beginInPlace(change: Change): Outcome {
  const outcome = runAgain(change);
  if (outcome.allowed || lacksDecision(change) || outcome.codes.includes("PLACEMENT_BUDGET")) return outcome;
  return keepDecision(change);
}

function admitDecided(change: Change, command: Command | null): Outcome | Unfinished {
  const { earlier } = change;
  const isSame = change.kept.length === earlier.written.length && sameInputs(inputsHash(bare(change), []), earlier);
  const reason = startNowReason(change);
  if (reason !== null) return startAtOnce(change, reason);
  if (command !== null && isSame && sameSpec(change)) return followCommand(change, command);
  if (!isSame || !mayKeep(change)) return redecide(change);
  if (isNextInPlace(change)) return beginInPlace(change);
  return resumeLate(change) ?? keepDecision(change);
}
