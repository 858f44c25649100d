import { LandfallError } from "../../errors.ts";
import { DONE, type Result } from "../../cluster/queue/work-queue.ts";
import type { ConditionInput, ServedChart } from "../types.ts";
import { reportPause } from "./report-pause.ts";
import { atOwnVersion } from "./at-own-version.ts";
import { adoptComposition, planAdoption } from "./adopt-composition.ts";
import { noteDecision } from "../decision/own-decision.ts";
import { assertDecided } from "../decision/assert-decided.ts";
import { confirmOffer, isOffer } from "../decision/confirm-offer.ts";
import { clusterStatus } from "../status/cluster-status.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { ensureRelease, isUpgradeDue } from "../release/ensure-release.ts";
import { conditionsOfRun } from "../run/follow/awaited-run.ts";
import { endRun, isRunOver, sooner, untilNext } from "../run/end/end-run.ts";
import { type FollowedRun, followRun, startRun } from "../run/follow/follow-run.ts";
import { awaitsRollout, reportUnkept, takeTurn, type Turn } from "../rollout/take-turn.ts";
import { leavePlace } from "../run/another/leave-place.ts";
import { noteMachine } from "../run/another/note-machine.ts";
import { spoilBoot } from "../run/follow/note-ready.ts";
import { seenMachine } from "../run/machine/machine-now.ts";
import { liveNow } from "../run/machine/machines-of.ts";
import { runValues } from "../report/run-values.ts";
import { takenOver } from "../run/follow/first-start.ts";
import { withStillOn } from "../run/follow/still-on.ts";
import { tellPause } from "../run/follow/tell-pause.ts";
import { tellTurned } from "../run/follow/tell-turned.ts";
import { fieldsOfRun, isSettled, whileStopped } from "../run/follow/run-status.ts";
import { isGracefullyPaused } from "../keys.ts";
import { machineStatus } from "../status/machine-status.ts";
import { keepMachines } from "../look/keep-machines.ts";
import { lookEveryOf, machineCondition } from "../look/machine-condition.ts";
import { noteReplaced, reportsMachine } from "../look/replaced-machine.ts";
import { ownChart } from "../chart/own-chart.ts";
import { putBack } from "../release/drift/put-back.ts";
import type { Release } from "../managed/release.ts";
import { settleSizes } from "../release/settle-sizes.ts";
import {
  isPassing,
  notReady,
  PAUSED,
  reportEnd,
  reportFailure,
  reportUnserved,
  SYNCED,
  textOf,
} from "./report-failure.ts";
import { afterFailure } from "./after-failure.ts";
import { removeComposition } from "../remove/remove-composition.ts";
import { LOOK_AGAIN_MS } from "../remove/remove-release.ts";
import { isPaused } from "../../model/decision-annotation/pause.ts";
import { scheduledCondition } from "../schedule/start-time.ts";
import { isLookAwaited } from "../status/look-times.ts";
import { foundOf, readyOf, sayTransition, withMachine } from "../status/ready-condition.ts";
import { withPoolErrors } from "../status/pool-errors.ts";
import { writeStatus } from "../status/write-status.ts";

/** Milliseconds until a composition that is not ready is reconciled without an event: an error may have lasted by then. */
const UNREADY_MS = 20_000;

const syncedAt = ({ waits }: Turn): ConditionInput => (waits === null ? SYNCED : awaitsRollout(waits, "True"));

/** Whether the Events of a run report that its machine is another one. */
const isReportedBy = (run: FollowedRun | null): boolean => run !== null && reportsMachine(run.record);

/** Milliseconds until a composition is reconciled without an event. */
async function untilLook(
  context: CompositionContext,
  composition: Composition,
  { release, found, ready }: { release: Release; found: ReturnType<typeof foundOf>; ready: ConditionInput },
): Promise<number> {
  const resync = context.resyncSeconds * 1000 * (0.9 + Math.random() / 5);
  const quiet = [
    isSettled(ready),
    !isLookAwaited(context.retrying.get(composition.object.metadata.uid ?? "")),
    release.drifts.size === 0,
    !(await settleSizes(context, composition, release, found)),
  ];
  return quiet.every(Boolean) ? resync : Math.min(resync, UNREADY_MS);
}

async function reportRelease(
  context: CompositionContext,
  composition: Composition,
  { turn, release, run: followed }: { turn: Turn; release: Release; run: FollowedRun | null },
): Promise<Result> {
  const { object } = composition;
  const { served } = turn;
  const found = foundOf(context, release);
  const live = followed === null ? [] : await liveNow(context, followed.record);
  const run = withStillOn(followed, { object, live, nowSeconds: context.nowSeconds() });
  // The run's conditions report an end as planned.
  const machine = run === null ? machineCondition(found, lookEveryOf(context, object)) : null;
  const cluster = clusterStatus(found, object.status);
  const whole = withPoolErrors(withMachine(readyOf(context, object, found), machine), cluster);
  const ready = whileStopped(whole, run);
  // Its resources became ready after the release was checked, and with them the values that the upgrade waits for.
  if (ready.status === "True" && (await isUpgradeDue({ context, composition }, release))) return { requeueAfter: 0 };
  const [scheduled, ofRun] = [scheduledCondition(object, context.nowSeconds()), conditionsOfRun(object, run)];
  const synced = isGracefullyPaused(object) ? PAUSED : syncedAt(turn);
  const conditions = [...scheduled, ready, synced, ...(machine ? [machine] : []), ...ofRun];
  const machineNow = noteReplaced(context, object, {
    machine: machineStatus(found),
    isReported: isReportedBy(run),
  });
  const fields = { ...fieldsOfRun(object, run), machine: machineNow };
  tellTurned(context, object, ofRun);
  tellPause(context, object, run);
  await writeStatus(context, composition, { conditions, served, release, cluster, fields });
  sayTransition(context, object, ready);
  const lookMs = await untilLook(context, composition, { release, found, ready });
  if (await noteMachine(context, composition, run, seenMachine(live, ready))) return { requeueAfter: 0 };
  return { requeueAfter: sooner(lookMs, run && untilNext(run)) };
}

/** Removes it; a failure stands in the conditions and in an Event, since nothing else says why an object stays. */
async function removeReported(context: CompositionContext, composition: Composition): Promise<Result> {
  try {
    return await removeComposition(context, composition);
  } catch (thrown) {
    if (isPassing(thrown)) throw thrown;
    const message = textOf(thrown);
    const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
    context.record(composition.object, { type: "Warning", reason: "DeletionFailed", message });
    await writeStatus(context, composition, { conditions: [notReady("Deleting", message), synced] });
    throw thrown;
  }
}

/** Installs or upgrades the release of a decided composition with the chart of its turn, and reports it. */
async function install(
  context: CompositionContext,
  composition: Composition,
  turn: Turn,
  known: FollowedRun | null,
): Promise<Result> {
  const { served } = turn;
  await context.clientIn(composition.object.metadata.namespace ?? "");
  const adoption = await planAdoption(context, composition, served);
  let { composition: adopted } = adoption;
  try {
    adopted = await adoptComposition(context, adoption);
    const decided = await assertDecided(context, adopted);
    if (decided === null) return DONE;
    const run = known ?? (await startRun(context, decided));
    if (run !== null && isRunOver(run)) return await endRun(context, decided, run);
    if (await leavePlace(context, decided, run)) return { requeueAfter: LOOK_AGAIN_MS };
    const { object } = decided;
    const earlier = await takenOver(context, object);
    const given = { composition: decided, runValues: runValues(context, object, run) };
    const ensured = await ensureRelease({ context, served, ...given });
    if ("waitMs" in ensured) return { requeueAfter: ensured.waitMs };
    context.lanes.settle(decided.key);
    await context.managed.load(decided.key);
    await putBack(context, decided, ensured.release);
    await keepMachines(context, object, ensured.release, run);
    await context.retentions.adopted(object, ensured.release.name);
    for (const { uid } of earlier) await context.runs.remove(uid);
    return await reportRelease(context, decided, { turn, release: ensured.release, run });
  } catch (thrown) {
    await afterFailure(context, adopted, { served, run: known, thrown });
    throw thrown;
  }
}

const isAskew = (thrown: unknown): boolean => thrown instanceof LandfallError && thrown.code === "RUN_CLOCKS";

/** Follows the run of an object, and ends it if it is over. The result is null if there is more to do. */
async function followToEnd(
  context: CompositionContext,
  composition: Composition,
): Promise<{ run: FollowedRun | null; result: Result | null }> {
  try {
    const run = await followRun(context, composition);
    return { run, result: run !== null && isRunOver(run) ? await endRun(context, composition, run) : null };
  } catch (thrown) {
    const report = isAskew(thrown) ? reportFailure : reportEnd;
    if (!isPassing(thrown)) await report(context, composition, thrown);
    throw thrown;
  }
}

/** Has the offer of a composition confirmed: the change of the object brings it back here. */
async function confirm(context: CompositionContext, composition: Composition): Promise<Result> {
  try {
    await confirmOffer(context, composition);
    return DONE;
  } catch (thrown) {
    await reportFailure(context, composition, thrown);
    throw thrown;
  }
}

/** Whether the release is upgraded to end the run. */
const isEnding = (run: FollowedRun | null): boolean => run?.step.do === "stop" || run?.step.do === "upgrade";

/** Nothing is installed, paused or stopped without a chart. */
async function awaitChart(
  context: CompositionContext,
  composition: Composition,
  run: FollowedRun | null,
): Promise<Result> {
  if (isEnding(run)) await reportEnd(context, composition, "no CompositionDefinition serves its chart");
  const isKnown = isEnding(run) || (await reportUnserved(context, composition));
  return { requeueAfter: sooner(isKnown ? null : LOOK_AGAIN_MS, run && untilNext(run)) };
}

async function installInTurn(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
  run: FollowedRun | null,
): Promise<Result> {
  const turn = await takeTurn(context, composition, served);
  if (turn.served !== null) return install(context, composition, turn, run);
  if (isEnding(run)) return install(context, composition, { served, waits: null }, run);
  const { requeueAfter } = await reportUnkept(context, composition, turn);
  return { requeueAfter: sooner(requeueAfter, run && untilNext(run)) };
}

/** A run that is over is deleted despite a pause or a chart that is not served. Stopping a machine needs its chart. */
async function pursue(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart | null,
): Promise<Result> {
  const { run, result } = await followToEnd(context, composition);
  if (result !== null) return result;
  if (!served) return awaitChart(context, composition, run);
  if (isOffer(context, composition.object) && !isEnding(run)) return confirm(context, composition);
  if (isPaused(composition.object) && !isEnding(run)) return reportPause(context, composition, run);
  return installInTurn(context, composition, served, run).catch(async (thrown: unknown) => {
    if (!isPassing(thrown)) await spoilBoot(context, composition.object);
    throw thrown;
  });
}

/** Reconciles one composition once. */
export async function reconcileComposition(context: CompositionContext, given: Composition): Promise<Result> {
  if (given.object.metadata.deletionTimestamp !== undefined) return removeReported(context, given);
  const served = await ownChart(context, given);
  await noteDecision(context, given.object);
  const composition = served === null ? given : await atOwnVersion(context, given, served);
  return composition ? pursue(context, composition, served) : DONE;
}
