import { hasStatus } from "../../cluster/client/api-error.ts";
import { readPlacement } from "../../model/decision-annotation/compact-decision.ts";
import { ANNOTATION, ANOTHER_SIZE } from "../../model/names.ts";
import { pausedSeconds } from "../../model/runs/run-times.ts";
import type { Composition, CompositionContext } from "../context.ts";
import type { ConditionInput, Resource } from "../types.ts";
import type { FollowedRun } from "./follow-run.ts";

/** Seconds between two requests for the same object: the provider has to be asked for the last size first. */
const AGAIN_SECONDS = 120;

/** A limit of the account is not a size that is sold out. */
const QUOTA = /quota|limit ?exceeded/i;

/** Whether the provider has no machine for a run that is to continue after a pause. */
function lacksMachine({ record, step, now }: FollowedRun, { reason, message }: ConditionInput): boolean {
  const resumes = step.do === "run" && pausedSeconds(record.plan, record.startedAt, now) > 0;
  return resumes && !record.wasReady && reason === "ProviderCapacity" && !QUOTA.test(message);
}

function typeOf(object: Resource): string {
  const { instanceType } = readPlacement(object);
  return typeof instanceType === "string" ? instanceType : "";
}

async function ask({ client, record }: CompositionContext, { object, path }: Composition): Promise<void> {
  // Without a version: the status has just been written, and the webhook decides on the object as it is stored.
  const metadata = { annotations: { [ANNOTATION.reevaluate]: ANOTHER_SIZE } };
  const answer = await client.patch<Resource>(path, "merge", { metadata });
  const [before, after] = [typeOf(object), typeOf(answer)];
  if (after === before) return;
  const message = `its provider has no ${before} for its resume: it continues on ${after}`;
  record(object, { type: "Normal", reason: "AnotherSize", message });
}

/**
 * Has another size of its series decided for a machine that its provider has none of at a resume: plan B. The webhook says which, if
 * its policies allow one; else the operator goes on trying.
 */
export async function askAnotherSize(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
  ready: ConditionInput,
): Promise<void> {
  if (run === null || !lacksMachine(run, ready)) return;
  const { uid } = run.record;
  const now = context.nowSeconds();
  for (const [asked, at] of context.sizesAsked) if (now - at >= AGAIN_SECONDS) context.sizesAsked.delete(asked);
  if (context.sizesAsked.has(uid)) return;
  context.sizesAsked.set(uid, now);
  try {
    await ask(context, composition);
  } catch (thrown) {
    // Changed or removed meanwhile: the next attempt sees its new state.
    if (!hasStatus(thrown, 409) && !hasStatus(thrown, 404)) throw thrown;
    context.sizesAsked.delete(uid);
  }
}
