import { LandfallError, toError } from "../../errors.ts";
import { ApiError, hasStatus } from "../../cluster/client/api-error.ts";
import { conditionsOf } from "../../model/kubernetes.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Release } from "../managed/release.ts";
import { foundOf, readyOf } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import type { ConditionInput } from "../types.ts";

/** Not there any more, changed meanwhile, or no answer: the next attempt tells. */
export const isPassing = (thrown: unknown): boolean => [0, 404, 409].some((status) => hasStatus(thrown, status));

export const SYNCED: ConditionInput = { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "" };
export const PAUSED: ConditionInput = {
  ...SYNCED,
  ...{ status: "False", reason: "ReconcilePaused", message: "reconciliation is paused by an annotation" },
};

/** Errors of a write: no space is left, or the quota of a volume is used up. */
const FULL = new Set(["ENOSPC", "EDQUOT"]);

function asCoded(thrown: unknown): LandfallError | null {
  if (thrown instanceof LandfallError) return thrown;
  const { code = "", message } = toError(thrown) as NodeJS.ErrnoException;
  return FULL.has(code) ? new LandfallError("REL_DISK_FULL", { detail: message }, thrown) : null;
}

export const textOf = (thrown: unknown): string => asCoded(thrown)?.line ?? toError(thrown).message;

export const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

/**
 * Says that no definition serves its chart, if so. What is installed runs on, and `Ready` still describes it. False while it is not known
 * whether a definition does.
 */
export async function reportUnserved(context: CompositionContext, composition: Composition): Promise<boolean> {
  const { object } = composition;
  const isUnserved = context.isUnserved(composition);
  if (isUnserved !== true) return isUnserved !== null;
  const { line: message } = new LandfallError("REL_UNSERVED", { kind: object.kind });
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "NoDefinition", message };
  const hasReady = conditionsOf(object).some(({ type }) => type === "Ready");
  const ready = hasReady ? [] : [notReady("NoDefinition", message)];
  await writeStatus(context, composition, { conditions: [...ready, synced] });
  return true;
}

/** Writes why the end of a run failed: nothing else says why its machine is still there. */
export async function reportEnd(context: CompositionContext, composition: Composition, thrown: unknown): Promise<void> {
  const message = `its run is not ended: ${typeof thrown === "string" ? thrown : textOf(thrown)}`;
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
  context.record(composition.object, { type: "Warning", reason: "EndFailed", message });
  await writeStatus(context, composition, { conditions: [notReady("EndFailed", message), synced] });
}

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
  const failure = asCoded(thrown);
  const message = textOf(thrown);
  const release = runningOf(context, composition, failure);
  const ready = release
    ? readyOf(context, composition.object, foundOf(context, release))
    : notReady("ReleaseFailed", message);
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
  context.record(composition.object, { type: "Warning", reason: failure?.code ?? "ReconcileError", message });
  await writeStatus(context, composition, { conditions: [ready, synced] });
}
