import { LandfallError, toError } from "../errors.ts";
import { COMPOSITION_GROUP } from "../model/names.ts";
import { below, versionPath } from "../cluster/api-path.ts";
import { ApiError, hasStatus } from "../cluster/api-error.ts";
import { DONE, type Result } from "../cluster/work-queue.ts";
import type { ConditionInput, Resource, ServedChart } from "./types.ts";
import { adoptComposition } from "./adopt-composition.ts";
import { assertDecided } from "./decision/assert-decided.ts";
import { clusterStatus } from "./status/cluster-status.ts";
import type { Composition, CompositionContext } from "./context.ts";
import { ensureRelease } from "./release/ensure-release.ts";
import { endRun, isRunOver, sooner, tellOverdue, untilNext } from "./run/end-run.ts";
import { type FollowedRun, followRun, startRun } from "./run/follow-run.ts";
import { noteReady } from "./run/note-ready.ts";
import { runValues } from "./report/run-values.ts";
import { tellPause } from "./run/tell-pause.ts";
import { pausedReady, runConditions, runStatus, withoutRun } from "./run/run-status.ts";
import { KRATEO_ANNOTATION } from "./keys.ts";
import { askToLook } from "./look/ask-to-look.ts";
import { machineCondition } from "./look/machine-condition.ts";
import { ownChart } from "./own-chart.ts";
import { putBack } from "./release/put-back.ts";
import type { Release } from "./release/release.ts";
import { removeComposition } from "./remove-composition.ts";
import { isPaused } from "../model/decision-annotation/pause.ts";
import { isScheduled, nextCountdown, scheduledCondition } from "./schedule/start-time.ts";
import { foundOf, readyOf, sayTransition, withMachine } from "./status/ready-condition.ts";
import { writeStatus } from "./status/write-status.ts";

/** Milliseconds until a composition that is not ready is reconciled without an event: an error may have lasted by then. */
const UNREADY_MS = 20_000;

const SYNCED: ConditionInput = { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "" };
const PAUSED: ConditionInput = {
  type: "Synced",
  status: "False",
  reason: "ReconcilePaused",
  message: "reconciliation is paused by an annotation",
};

const conditionsOfRun = (run: FollowedRun | null): ConditionInput[] =>
  run === null ? [] : runConditions(run.record, run.step, run.now);

const fieldsOfRun = (object: Resource, run: FollowedRun | null): Record<string, unknown> =>
  run === null ? withoutRun(object) : runStatus(run.record, run.step);

/** A run that is still recorded goes on while its object is paused, and ends in time. */
async function reportPause(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
): Promise<Result> {
  const { object } = composition;
  const nowSeconds = context.nowSeconds();
  const scheduled = scheduledCondition(object, nowSeconds);
  const [start] = scheduled;
  const held = isScheduled(object) && start ? [notReady("Scheduled", start.message)] : [];
  const conditions = [...scheduled, ...held, PAUSED, ...conditionsOfRun(run)];
  await writeStatus(context, composition, { conditions, fields: fieldsOfRun(object, run) });
  return { requeueAfter: sooner(nextCountdown(object, nowSeconds), run && untilNext(run)) };
}

const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

/** The condition Ready of a run: while it is paused, only what its provider refuses is told instead. */
function inPause(ready: ConditionInput, run: FollowedRun | null): ConditionInput {
  const until = run?.step.pausedUntil;
  return until === undefined || ready.reason.startsWith("Provider") ? ready : pausedReady(until);
}

const isSettled = ({ status, reason }: ConditionInput): boolean => status === "True" || reason === "Paused";

async function reportRelease(
  context: CompositionContext,
  composition: Composition,
  { served, release, run }: { served: ServedChart; release: Release; run: FollowedRun | null },
): Promise<Result> {
  const { object } = composition;
  const found = foundOf(context, release);
  // What ended as planned is told by the conditions of the run.
  const machine = run === null ? machineCondition(found) : null;
  const ready = inPause(withMachine(readyOf(context, object, found), machine), run);
  const graceful = object.metadata.annotations?.[KRATEO_ANNOTATION.gracefullyPaused] === "true";
  const scheduled = scheduledCondition(object, context.nowSeconds());
  const ofRun = conditionsOfRun(run);
  const conditions = [...scheduled, ready, graceful ? PAUSED : SYNCED, ...(machine ? [machine] : []), ...ofRun];
  const cluster = clusterStatus(found);
  tellOverdue(context, object, ofRun);
  tellPause(context, object, run);
  await writeStatus(context, composition, { conditions, served, release, cluster, fields: fieldsOfRun(object, run) });
  sayTransition(context, object, ready);
  const resync = context.resyncSeconds * 1000 * (0.9 + Math.random() / 5);
  const quiet = isSettled(ready) && release.drifts.size === 0;
  await noteReady(context, run, ready);
  return { requeueAfter: sooner(quiet ? resync : Math.min(resync, UNREADY_MS), run && untilNext(run)) };
}

/** The release whose state is reported even after a failure; null if it is no longer the composition's. */
const runningOf = (
  context: CompositionContext,
  { object }: Composition,
  failure: LandfallError | null,
): Release | null =>
  failure?.code === "REL_OBJECT_LOST" ? null : (context.releases.get(object.metadata.uid ?? "") ?? null);

/** Writes the failure into the conditions; the queue retries. Nothing is written if the API server itself failed. */
async function reportFailure(context: CompositionContext, composition: Composition, thrown: unknown): Promise<void> {
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

const textOf = (thrown: unknown): string => (thrown instanceof LandfallError ? thrown.line : toError(thrown).message);

/** Not there any more, changed meanwhile, or no answer: the next attempt tells. */
const isPassing = (thrown: unknown): boolean => [0, 404, 409].some((status) => hasStatus(thrown, status));

/** Removes it; a failure stands in the conditions, since nothing else says why an object stays. */
async function removeReported(context: CompositionContext, composition: Composition): Promise<Result> {
  try {
    return await removeComposition(context, composition);
  } catch (thrown) {
    if (isPassing(thrown)) throw thrown;
    const message = textOf(thrown);
    const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
    await writeStatus(context, composition, { conditions: [notReady("Deleting", message), synced] });
    throw thrown;
  }
}

/** The composition in its own version: other versions drop fields and fill in defaults. */
async function atOwnVersion(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
): Promise<Composition | null> {
  const apiVersion = `${COMPOSITION_GROUP}/${served.version}`;
  if (composition.object.apiVersion === apiVersion) return composition;
  const { namespace = "", name = "" } = composition.object.metadata;
  const path = below(versionPath(apiVersion), "namespaces", namespace, served.plural, name);
  const object = await context.client.get<Resource>(path);
  return object && { ...composition, object, path };
}

/** Installs or upgrades the release of a decided composition, and reports it. */
async function install(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
  known: FollowedRun | null,
): Promise<Result> {
  await context.clientIn(composition.object.metadata.namespace ?? "");
  const adopted = await adoptComposition(context, composition, served);
  try {
    if (!(await assertDecided(context, adopted))) return DONE;
    const run = known ?? (await startRun(context, adopted));
    if (run !== null && isRunOver(run)) return await endRun(context, adopted, run);
    const given = runValues(context, adopted.object, run);
    const ensured = await ensureRelease({ context, composition: adopted, served, runValues: given });
    if ("waitMs" in ensured) return { requeueAfter: ensured.waitMs };
    await putBack(context, ensured.release);
    if (run === null) await askToLook(context, adopted.object, ensured.release);
    await context.retentions.adopted(adopted.object, ensured.release.name);
    return await reportRelease(context, adopted, { served, release: ensured.release, run });
  } catch (thrown) {
    await reportFailure(context, adopted, thrown);
    throw thrown;
  }
}

/** Writes why the end of a run failed: nothing else says why its machine is still there. */
async function reportEnd(context: CompositionContext, composition: Composition, why: string): Promise<void> {
  const message = `its run is not ended: ${why}`;
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
  context.record(composition.object, { type: "Warning", reason: "EndFailed", message });
  await writeStatus(context, composition, { conditions: [notReady("EndFailed", message), synced] });
}

/** Follows the run of an object, and ends it if it is over. The result is null if there is more to do. */
async function followToEnd(
  context: CompositionContext,
  composition: Composition,
): Promise<{ run: FollowedRun | null; result: Result | null }> {
  try {
    const run = await followRun(context, composition);
    return { run, result: run !== null && isRunOver(run) ? await endRun(context, composition, run) : null };
  } catch (thrown) {
    if (!isPassing(thrown)) await reportEnd(context, composition, textOf(thrown));
    throw thrown;
  }
}

/** Whether the release is upgraded in order to end the run. */
const isEnding = (run: FollowedRun | null): boolean => run?.step.do === "stop" || run?.step.do === "upgrade";

/** What is over is deleted whatever else there is: a pause, or a chart that is not served. To stop a machine takes its chart. */
async function pursue(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart | null,
): Promise<Result> {
  const { run, result } = await followToEnd(context, composition);
  if (result !== null) return result;
  if (!served) {
    if (isEnding(run)) await reportEnd(context, composition, "no CompositionDefinition serves its chart");
    return { requeueAfter: run && untilNext(run) };
  }
  if (isPaused(composition.object) && !isEnding(run)) return reportPause(context, composition, run);
  return install(context, composition, served, run);
}

/** Reconciles one composition once. */
export async function reconcileComposition(context: CompositionContext, given: Composition): Promise<Result> {
  if (given.object.metadata.deletionTimestamp !== undefined) return removeReported(context, given);
  const served = await ownChart(context, given);
  const composition = served === null ? given : await atOwnVersion(context, given, served);
  return composition ? pursue(context, composition, served) : DONE;
}
