import { ApiError } from "../../cluster/client/api-error.ts";
import { ANNOTATION } from "../../model/names.ts";
import { verifyDecision } from "../../model/decision-annotation/signature.ts";
import { specDigest, specStanding, stillHolds } from "../../model/decision-annotation/still-holds.ts";
import { standingOf } from "../../model/decision-annotation/standing.ts";
import { formatTime } from "../../model/time.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";

/** An answer of admission, and not a conflict or an object that is gone. */
export const isDenial = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && ![404, 409, 429].includes(thrown.status);

/** Whether the webhook signed this spec. In a dry run, the decision counts for no object. */
function isSigned({ keys }: CompositionContext, object: Resource, dryRun: boolean): boolean {
  const verified = keys === null ? null : verifyDecision(keys(), object);
  if (verified === null || !stillHolds(object, verified.decision)) return false;
  if (specStanding(verified, object) !== "accepted") return false;
  return dryRun ? verified.signature.use === "preview" : standingOf(verified, object.metadata, null) === "own";
}

async function ask(
  context: CompositionContext,
  { object, path }: Composition,
  wish: string,
  dryRun = false,
): Promise<boolean> {
  const { resourceVersion } = object.metadata;
  const patch = { metadata: { resourceVersion, annotations: { [ANNOTATION.reevaluate]: wish } } };
  const answer = await context.client.patch<Resource>(path, "merge", patch, dryRun ? { dryRun: "All" } : undefined);
  return isSigned(context, answer, dryRun);
}

/**
 * Asks the webhook about an object, first in a dry run: nothing is written before the webhook is there and accepts the object. Null if it did;
 * otherwise why it did not.
 */
async function askTwice(
  context: CompositionContext,
  composition: Composition,
  { about, reason, unanswered }: { about: string; reason: string; unanswered: string },
): Promise<string | null> {
  const wish = `${about} at ${formatTime(context.nowSeconds())}`;
  try {
    if ((await ask(context, composition, wish, true)) && (await ask(context, composition, wish))) return null;
    return `${reason}, and ${unanswered}`;
  } catch (thrown) {
    if (!isDenial(thrown)) throw thrown;
    return `${reason}, and it is denied now: ${thrown.message}`;
  }
}

/**
 * Asks the webhook to decide an object that has the decision of another one. Null if it did; otherwise why the object still has no
 * decision of its own.
 */
export async function askAgain(
  context: CompositionContext,
  composition: Composition,
  id: string,
): Promise<string | null> {
  const about = `decision ${id.slice(0, 8)}`;
  const reason = `its ${about} is another object's`;
  const unanswered = "the webhook did not decide it again";
  const detail = await askTwice(context, composition, { about, reason, unanswered });
  if (detail !== null) return detail;
  const message = `${reason}: it was copied, or restored without its release; it is decided again`;
  context.record(composition.object, { type: "Normal", reason: "DecidedAgain", message });
  return null;
}

/** Asks the webhook about an object whose spec it did not accept. `reason` says what is wrong. Null if it did; otherwise why the spec does not count. */
export async function askForSpec(
  context: CompositionContext,
  composition: Composition,
  reason: string,
): Promise<string | null> {
  const { object } = composition;
  const about = `spec ${specDigest(object.spec).slice(0, 8)}`;
  const unanswered = "the webhook was not called to check it";
  const detail = await askTwice(context, composition, { about, reason, unanswered });
  if (detail !== null) return detail;
  context.record(object, { type: "Normal", reason: "DecidedAgain", message: `${reason}; it is decided again` });
  return null;
}
