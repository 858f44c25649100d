import { LandfallError } from "../../errors.ts";
import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import { confirmationOf } from "../../model/decision-annotation/standing.ts";
import { verifyDecision } from "../../model/decision-annotation/signature.ts";
import { ANNOTATION, isKind } from "../../model/names.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";
import { isDenial } from "./ask-again.ts";
import { textOf } from "../../model/json.ts";

/** Whether the decision of the object is an offer: the webhook could not tell who asked for it. */
export const isOffer = ({ keys }: CompositionContext, object: Resource): boolean =>
  keys !== null && isKind(object.kind) && verifyDecision(keys(), object)?.signature.use === "offer";

const placeOf = (object: Resource): string => {
  const { provider, region } = readPlacement(object);
  return `${textOf(provider)}/${textOf(region)}`;
};

async function ask(context: CompositionContext, { object, path }: Composition): Promise<Resource> {
  const { keys, nowSeconds, client } = context;
  const { resourceVersion } = object.metadata;
  const confirmation = keys === null ? null : confirmationOf(keys(), object, nowSeconds());
  // With the resource version: what is confirmed is the object that was seen.
  const patch = { metadata: { resourceVersion, annotations: { [ANNOTATION.confirm]: confirmation } } };
  return client.patch<Resource>(path, "merge", patch);
}

/**
 * Has the webhook make the final decision on an object with an offer, as the API server stored it. Throws REL_UNCONFIRMED if it is denied, for
 * instance because others were confirmed first and fill a budget, or if no webhook answered.
 */
export async function confirmOffer(context: CompositionContext, composition: Composition): Promise<void> {
  const { object } = composition;
  const about = { kind: object.kind, name: object.metadata.name ?? "" };
  try {
    const answer = await ask(context, composition);
    if (isOffer(context, answer) || answer.metadata.annotations?.[ANNOTATION.confirm] !== undefined) {
      const detail = "its decision is provisional, and no webhook was called to confirm it";
      throw new LandfallError("REL_UNCONFIRMED", { ...about, detail });
    }
    const [before, after] = [placeOf(object), placeOf(answer)];
    if (before === after) return;
    const message = `its provisional place ${before} did not fit any more when it was confirmed: it is ${after} now`;
    context.record(object, { type: "Normal", reason: "DecidedAgain", message });
  } catch (thrown) {
    if (!isDenial(thrown)) throw thrown;
    const detail = `its decision was provisional, and it is denied now: ${thrown.message}`;
    throw new LandfallError("REL_UNCONFIRMED", { ...about, detail }, thrown);
  }
}
