import { ApiError } from "../../cluster/api-error.ts";
import { ANNOTATION } from "../../model/names.ts";
import { verifyDecision } from "../../model/decision-annotation/signature.ts";
import { standingOf } from "../../model/decision-annotation/standing.ts";
import { stillHolds } from "../../model/decision-annotation/still-holds.ts";
import type { Composition, CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";

/** An answer of admission, and not a conflict or an object that is gone. */
const isDenial = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && thrown.status >= 400 && thrown.status < 500 && ![404, 409, 429].includes(thrown.status);

function isDecided({ keys }: CompositionContext, object: Resource): boolean {
  const verified = keys === null ? null : verifyDecision(keys(), object);
  if (verified === null || !stillHolds(object, verified.decision)) return false;
  return standingOf(verified, object.metadata, null) === "own";
}

/**
 * Asks the webhook to decide an object that has the decision of another one, once for each such decision. Null if it did; else
 * why the object still has no decision of its own.
 */
export async function askAgain(
  context: CompositionContext,
  composition: Composition,
  id: string,
): Promise<string | null> {
  const { object, path } = composition;
  const { annotations = {}, resourceVersion } = object.metadata;
  const reason = `its decision ${id.slice(0, 8)} is another object's`;
  if (annotations[ANNOTATION.reevaluate] === reason) return `${reason}, and the webhook did not decide it again`;
  const patch = { metadata: { resourceVersion, annotations: { [ANNOTATION.reevaluate]: reason } } };
  try {
    const answer = await context.client.patch<Resource>(path, "merge", patch);
    if (!isDecided(context, answer)) return `${reason}, and the webhook did not decide it again`;
  } catch (thrown) {
    if (!isDenial(thrown)) throw thrown;
    return `${reason}, and it is denied now: ${thrown.message}`;
  }
  const message = `${reason}: it was copied, or restored without its release; it is decided again`;
  context.record(object, { type: "Normal", reason: "DecidedAgain", message });
  return null;
}
