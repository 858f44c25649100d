import { LandfallError, toError } from "../errors.ts";
import { COMPOSITION_GROUP } from "../model/names.ts";
import { ApiError } from "../cluster/api-error.ts";
import type { ConditionInput, Resource, ServedChart } from "./types.ts";
import { adoptComposition } from "./adopt-composition.ts";
import { clusterStatus } from "./status/cluster-status.ts";
import { conditionsOf } from "../model/conditions.ts";
import type { Instance, InstanceContext } from "./context.ts";
import { ensureRelease } from "./release/ensure-release.ts";
import { KRATEO_ANNOTATION } from "./keys.ts";
import type { Release } from "./release/release.ts";
import { removeComposition } from "./remove-composition.ts";
import { isPaused, isScheduled, nextCountdown, scheduledCondition } from "./schedule/start-time.ts";
import { type Found, summariseReadiness } from "./status/summarise-readiness.ts";
import { writeStatus } from "./status/write-status.ts";

/** Ms until a composition that is not ready is looked at without any event: an error may then have lasted. */
const UNREADY_MS = 20_000;

const SYNCED: ConditionInput = { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "" };
const PAUSED: ConditionInput = {
  type: "Synced",
  status: "False",
  reason: "ReconcilePaused",
  message: "reconciliation is paused by an annotation",
};

/** Answers ms until the countdown to its start changes. */
async function reportPause(context: InstanceContext, instance: Instance): Promise<number | null> {
  const { composition } = instance;
  const now = context.now();
  const scheduled = scheduledCondition(composition, now);
  const [start] = scheduled;
  const held = isScheduled(composition) && start ? [notReady("Scheduled", start.message)] : [];
  await writeStatus(context, instance, { conditions: [...scheduled, ...held, PAUSED] });
  return nextCountdown(composition, now);
}

const notReady = (reason: string, message: string): ConditionInput => ({
  type: "Ready",
  status: "False",
  reason,
  message,
});

const foundOf = (context: InstanceContext, release: Release): Found[] =>
  release.objects.map((object) => ({ ...object, live: context.managed.get(object) ?? null }));

const readyOf = (context: InstanceContext, release: Release): ConditionInput =>
  summariseReadiness(foundOf(context, release), context.now());

function sayTransition(context: InstanceContext, composition: Resource, ready: ConditionInput): void {
  const before = conditionsOf(composition).find(({ type }) => type === "Ready");
  if (before?.reason === ready.reason) return;
  if (ready.status === "True") context.record(composition, { type: "Normal", reason: "Ready", message: ready.message });
  else if (ready.reason.startsWith("Provider")) {
    context.record(composition, { type: "Warning", reason: ready.reason, message: ready.message });
  }
}

async function reportRelease(
  context: InstanceContext,
  instance: Instance,
  served: ServedChart,
  release: Release,
): Promise<number> {
  const { composition } = instance;
  const ready = readyOf(context, release);
  const graceful = composition.metadata.annotations?.[KRATEO_ANNOTATION.gracefullyPaused] === "true";
  const scheduled = scheduledCondition(composition, context.now());
  const conditions = [...scheduled, ready, graceful ? PAUSED : SYNCED];
  const cluster = clusterStatus(foundOf(context, release));
  await writeStatus(context, instance, { conditions, served, release, cluster });
  sayTransition(context, composition, ready);
  const resync = context.resyncSeconds * 1000 * (0.9 + Math.random() / 5);
  const quiet = ready.status === "True" && release.drifts.size === 0;
  return quiet ? resync : Math.min(resync, UNREADY_MS);
}

/** What is told whatever failed, unless it is no longer the object's. */
const runningOf = (
  context: InstanceContext,
  { composition }: Instance,
  failure: LandfallError | null,
): Release | null =>
  failure?.code === "REL_OBJECT_LOST" ? null : (context.releases.get(composition.metadata.uid ?? "") ?? null);

/** Says what failed in the conditions and leaves the queue to try again. An API server that is away hears nothing. */
async function reportFailure(context: InstanceContext, instance: Instance, thrown: unknown): Promise<void> {
  if (thrown instanceof ApiError) return;
  const failure = thrown instanceof LandfallError ? thrown : null;
  const message = failure?.line ?? toError(thrown).message;
  const release = runningOf(context, instance, failure);
  const ready = release ? readyOf(context, release) : notReady("ReleaseFailed", message);
  const synced: ConditionInput = { type: "Synced", status: "False", reason: "ReconcileError", message };
  context.record(instance.composition, { type: "Warning", reason: failure?.code ?? "ReconcileError", message });
  await writeStatus(context, instance, { conditions: [ready, synced] });
}

/** The composition as its own version has it: other versions drop fields and fill in defaults. */
async function atOwnVersion(
  context: InstanceContext,
  instance: Instance,
  served: ServedChart,
): Promise<Instance | null> {
  const apiVersion = `${COMPOSITION_GROUP}/${served.version}`;
  if (instance.composition.apiVersion === apiVersion) return instance;
  const path = instance.path.replace(/^(\/apis\/[^/]+\/)[^/]+/, `$1${served.version}`);
  const composition = await context.cluster.get<Resource>(path);
  return composition && { ...instance, composition, path };
}

/** One pass over one composition. Answers ms until the next one without an event, or null. */
export async function reconcileComposition(context: InstanceContext, given: Instance): Promise<number | null> {
  if (given.composition.metadata.deletionTimestamp !== undefined) return removeComposition(context, given);
  const served = context.servedFor(given.composition);
  if (!served) return null;
  const instance = await atOwnVersion(context, given, served);
  if (!instance) return null;
  if (isPaused(instance.composition)) return reportPause(context, instance);
  const adopted = await adoptComposition(context, instance, served);
  try {
    const ensured = await ensureRelease({ context, instance: adopted, served });
    if ("waitMs" in ensured) return ensured.waitMs;
    return await reportRelease(context, adopted, served, ensured.release);
  } catch (thrown) {
    await reportFailure(context, adopted, thrown);
    throw thrown;
  }
}
