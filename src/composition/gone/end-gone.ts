import { type ApiPath, apiPath } from "../../cluster/api-path.ts";
import { DONE, type Result } from "../../cluster/queue/work-queue.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import { API_VERSION } from "../../model/names.ts";
import type { RunRecord } from "../../model/runs/run-record.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { ownChart } from "../chart/own-chart.ts";
import { retainsIn } from "../record/release-owner.ts";
import { installedValues } from "../retain/installed-values.ts";
import { deleteByRecord } from "../release/recorded/delete-recorded.ts";
import { removeInstalled } from "../release/remove-installed.ts";
import { forgetRelease, LOOK_AGAIN_MS, removeRelease } from "../remove/remove-release.ts";
import { endsNothing, goneStep, goneUid } from "../run/end/gone-run.ts";
import { leaveToRestored } from "../run/follow/restored-run.ts";
import { accountText } from "../run/follow/run-status.ts";
import { runTime } from "../run/state/run-time.ts";
import { stopInstalled } from "../run/end/stop-installed.ts";
import { recordedFor } from "../run/machine/machines-of.ts";
import { isUnmade } from "../run/machine/withdraw.ts";
import type { Resource } from "../types.ts";
import { formerPath } from "../release/recorded/former-path.ts";
import { type EndedComposition, goneComposition } from "./gone-composition.ts";

const AGAIN: Result = { requeueAfter: LOOK_AGAIN_MS };

/** Forgets a run of which nothing is left, or nothing that Landfall ends. */
async function settle(context: CompositionContext, run: RunRecord, isNothingLeft: boolean): Promise<Result> {
  const { uid, namespace, name } = run;
  if (isNothingLeft) await context.retentions.ended(uid);
  await context.runs.remove(uid);
  context.log.info({ uid, namespace, name, isNothingLeft }, "the run of an object that is gone is over");
  return DONE;
}

/** Records the end before anybody acts on it. */
async function recordEnd(context: CompositionContext, run: RunRecord, end: RunRecord["end"]): Promise<RunRecord> {
  if (end === null) return run;
  const changed = await context.runs.change({ ...run, end });
  context.runMetrics.ended(end);
  return changed;
}

/** Deletes what no other release has by now: first by the record, which goes with the last of it. */
async function removeBeside(context: CompositionContext, composition: EndedComposition): Promise<Resource[]> {
  const { release, object } = composition;
  const { namespace = "" } = object.metadata;
  const { revisions = [] } = (await context.records.read(namespace, release)) ?? {};
  await deleteByRecord(context, { name: release, namespace }, revisions);
  return removeInstalled(context, composition, release, "REL_LEFTOVERS");
}

/** Removes what is left of the release. What an object that took its resources over has now stays. */
async function remove(context: CompositionContext, run: RunRecord, composition: EndedComposition): Promise<Result> {
  const { namespace, name, end } = run;
  const { release, isTakenOver } = composition;
  // An uninstall would leave the machine at its provider, where nothing counts it.
  if ((await installedValues(context, namespace, release)).some(retainsIn)) return settle(context, run, false);
  const left = await (isTakenOver ? removeBeside(context, composition) : removeRelease(context, composition));
  if (left.length > 0) return AGAIN;
  forgetRelease(context, composition);
  context.runMetrics.removed();
  const message = `its resources are deleted${end === null ? "" : `: ${accountText(run, end)}`}`;
  context.record(composition.object, { type: "Normal", reason: "DeletedAfterEnd", message });
  context.log.warn(
    { namespace, name, release },
    "an object went without its finalizer; what it left ended with its run",
  );
  return settle(context, run, true);
}

/** Stops the machine as it is installed. What is stopped counts until someone takes note of it. */
async function stop(context: CompositionContext, run: RunRecord, composition: EndedComposition): Promise<Result> {
  if (composition.isTakenOver) return settle(context, run, false);
  const served = await ownChart(context, composition);
  if (served === null) throw new LandfallError("REL_GONE_STOP", { kind: run.kind, name: run.name });
  const power = isUnmade(run) ? "deleted" : "off";
  if (!(await stopInstalled(context, composition, served, power))) return AGAIN;
  forgetRelease(context, composition);
  return settle(context, run, false);
}

/** The release that was installed for an object that is gone, by Landfall's own records; null for nothing. */
const releaseOf = async (context: CompositionContext, run: RunRecord) =>
  (await recordedFor(context, run))?.release ?? context.uninstalled.get(run.uid) ?? null;

/**
 * Forgets a run whose namespace is gone: its resources went with it, except at a provider that was asked to retain them. The record of the
 * release would count for ever, since nothing else removes it.
 */
async function settleAll(context: CompositionContext, run: RunRecord, release: string): Promise<Result> {
  const { namespace } = run;
  const stays = (await installedValues(context, namespace, release)).some(retainsIn);
  await context.records.change(namespace, release, () => []);
  return settle(context, run, !stays);
}

async function act(context: CompositionContext, run: RunRecord, path: ApiPath, now: number): Promise<Result> {
  const release = run.removedAt === null ? await releaseOf(context, run) : null;
  if (release === null) return settle(context, run, true);
  const inNamespace = await context.client.get<Resource>(apiPath`/api/v1/namespaces/${run.namespace}`);
  if (inNamespace === null) return settleAll(context, run, release);
  if (endsNothing(run)) return settle(context, run, false);
  const step = goneStep(run, now);
  const ended = await recordEnd(context, run, step.found);
  if (step.do !== "remove" && step.do !== "stop") return DONE;
  try {
    await context.clientIn(run.namespace);
    const composition = await goneComposition(context, ended, { release, path });
    return await (step.do === "stop" ? stop : remove)(context, ended, composition);
  } catch (thrown) {
    const { kind, namespace, name, uid } = run;
    const object = { apiVersion: API_VERSION, kind, metadata: { namespace, name, uid } };
    const message = `its run is not ended: ${messageOf(thrown)}`;
    context.record(object, { type: "Warning", reason: "EndFailed", message });
    throw thrown;
  }
}

/**
 * Ends the run of a deleted object whose finalizer a user removed: what it left runs no longer than the object
 * would have let it. Only Landfall's own records say what that is. Does nothing if the object is still there, or was restored and continues
 * the run. Throws the errors of a removal: it is tried again.
 */
export async function endGone(context: CompositionContext, key: string): Promise<Result> {
  const uid = goneUid(key);
  const run = uid === null ? null : await context.runs.read(uid);
  if (run === null) return DONE;
  const now = context.serverSeconds();
  const path = await formerPath(context, run);
  if (path === null || now === null) return AGAIN;
  const present = await context.client.get<Resource>(path);
  if (present !== null && (present.metadata.uid === run.uid || (await leaveToRestored(context, present, run))))
    return DONE;
  return act(context, run, path, runTime(run, now, context.timeLapse));
}
