import { ANNOTATION } from "../../model/names.ts";
import { type VerifiedDecision, signedAt, verifyDecision } from "../../model/decision-annotation/signature.ts";
import { formatTime, parseTime } from "../../model/time.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";
import { isDenial } from "./ask-again.ts";
import { isInstalled } from "./own-decision.ts";

/** Seconds by which a run may start after its decided start without another question: queues and the boot of a controller. */
const LATE_SECONDS = 900;

/** Whether the run should have started long ago, and admission has not decided it since. A service has no end. */
function isPast(verified: VerifiedDecision, now: number): boolean {
  const { start, end } = verified.decision.placement as { start?: unknown; end?: unknown };
  if (typeof start !== "string" || typeof end !== "string") return false;
  return Math.max(parseTime(start) ?? Infinity, signedAt(verified)) + LATE_SECONDS < now;
}

async function isLate(
  context: CompositionContext,
  object: Resource,
  verified: VerifiedDecision,
  now: number,
): Promise<boolean> {
  if (!isPast(verified, now) || (await isInstalled(context, object, verified))) return false;
  return (await context.runs.read(object.metadata.uid ?? "")) === null;
}

/**
 * Asks the webhook about a run that would start long after its decided start: a label of its owner held it back, or no controller ran. Budgets
 * have not counted it since its decided end. First in a dry run: nothing is written before the webhook decides it by the present time. Null if it
 * is not late; otherwise whether it was decided again, and why not.
 */
export async function askIfLate(
  context: CompositionContext,
  { object, path }: Composition,
  verified: VerifiedDecision,
): Promise<{ isAsked: boolean; detail: string } | null> {
  const { keys } = context;
  const now = context.serverSeconds() ?? context.nowSeconds();
  if (keys === null || !(await isLate(context, object, verified, now))) return null;
  const detail = `its decided start was ${verified.decision.placement.start}`;
  const annotations = { [ANNOTATION.reevaluate]: `late at ${formatTime(now)}` };
  const patch = { metadata: { resourceVersion: object.metadata.resourceVersion, annotations } };
  try {
    const preview = verifyDecision(
      keys(),
      await context.client.patch<Resource>(path, "merge", patch, { dryRun: "All" }),
    );
    if (preview === null || isPast(preview, now))
      return { isAsked: false, detail: `${detail}, and the webhook did not decide it again` };
    await context.client.patch(path, "merge", patch);
  } catch (thrown) {
    if (!isDenial(thrown)) throw thrown;
    return { isAsked: false, detail: `${detail}, and it is denied now: ${thrown.message}` };
  }
  context.record(object, { type: "Normal", reason: "DecidedAgain", message: `${detail}; it is decided again` });
  return { isAsked: true, detail };
}
