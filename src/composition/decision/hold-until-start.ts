import { LandfallError } from "../../errors.ts";
import { lacksPause, restoredPause, startReason } from "../../model/decision-annotation/pause.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { isInstalled } from "./own-decision.ts";

/** The clocks of webhook and controller may differ by this much, in seconds: a start that is this near is no longer held back. */
const SKEW_SECONDS = 60;

/**
 * Whether the object must wait for its decided start. Its pause was removed while the webhook was not registered, so it is set
 * again; what is installed already continues. Throws REL_UNDECIDED if someone asked to start it now and nothing decided that.
 */
export async function holdUntilStart(
  context: CompositionContext,
  { object, path }: Composition,
  verified: VerifiedDecision,
): Promise<boolean> {
  if (!lacksPause(object, verified.decision, context.nowSeconds() + SKEW_SECONDS)) return false;
  if (await isInstalled(context, object, verified)) return false;
  const { start } = verified.decision.placement;
  if (startReason(object) !== null) {
    const detail = `its decided start is ${start}, and an earlier one was not decided`;
    throw new LandfallError("REL_UNDECIDED", { kind: object.kind, name: object.metadata.name ?? "", detail });
  }
  const { resourceVersion } = object.metadata;
  await context.client.patch(path, "merge", { metadata: { resourceVersion, annotations: restoredPause(object) } });
  const message = `its pause was removed, and its decided start is ${start}: it is paused again until then`;
  context.record(object, { type: "Warning", reason: "PausedUntilStart", message });
  return true;
}
