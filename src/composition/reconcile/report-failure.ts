import { LandfallError, toError } from "../../errors.ts";
import { ApiError } from "../../cluster/client/api-error.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import { foundOf, readyOf } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import type { ConditionInput } from "../types.ts";

export const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

/** The release whose state is reported even after a failure; null if it is no longer the composition's. */
const runningOf = (
  context: CompositionContext,
  { object }: Composition,
  failure: LandfallError | null,
): Release | null =>
  failure?.code === "REL_OBJECT_LOST" ? null : (context.releases.get(object.metadata.uid ?? "") ?? null);

/** Writes the failure into the conditions; the queue retries. Nothing is written if the API server itself failed. */
export async function reportFailure(
  context: CompositionContext,
  composition: Composition,
  thrown: unknown,
): Promise<void> {
  if (thrown instanceof ApiError) return;
  const failure = thrown instanceof LandfallError ? thrown : null;
  const message = failure?.line ?? toError(thrown).message;
  const release = runningOf(context, composition, failure);
  const ready = release
    ? readyOf(context, composition.object, foundOf(context, release))
    : notReady("ReleaseFailed", message);
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
  context.record(composition.object, { type: "Warning", reason: failure?.code ?? "ReconcileError", message });
  await writeStatus(context, composition, { conditions: [ready, synced] });
}
