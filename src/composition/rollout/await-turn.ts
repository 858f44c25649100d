import type { Result } from "../../cluster/queue/work-queue.ts";
import { specDigest } from "../../model/decision-annotation/still-holds.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { valuesIn } from "../helm/stored-release.ts";
import { LABEL } from "../keys.ts";
import type { Release } from "../managed/release.ts";
import { readRelease } from "../release/read-release.ts";
import type { RecordedRevision } from "../record/release-record.ts";
import { foundOf, readyOf, sayTransition } from "../status/ready-condition.ts";
import { writeStatus } from "../status/write-status.ts";
import type { ConditionInput, ServedChart } from "../types.ts";
import { isOnVersion } from "./rollouts.ts";

async function revisionsOf(context: CompositionContext, { object }: Composition): Promise<RecordedRevision[]> {
  const { namespace = "", uid = "" } = object.metadata;
  const release = await context.records.find(namespace, uid);
  return release === null ? [] : ((await context.records.read(namespace, release))?.revisions ?? []);
}

/** The deployed release as it is recorded; null for none. */
async function deployed(
  context: CompositionContext,
  composition: Composition,
  revisions: readonly RecordedRevision[],
): Promise<Release | null> {
  const known = context.releases.get(composition.object.metadata.uid ?? "");
  if (known !== undefined) return known;
  const base = revisions.find(({ status }) => status === "deployed");
  return base === undefined ? null : readRelease(context, composition, base);
}

/** Tells that the release stays as it is. False if there is none that is deployed. */
async function reportWaiting(
  context: CompositionContext,
  composition: Composition,
  { revisions, isChanged, why }: { revisions: readonly RecordedRevision[]; isChanged: boolean; why: string },
): Promise<boolean> {
  const { object } = composition;
  await context.clientIn(object.metadata.namespace ?? "");
  const release = await deployed(context, composition, revisions);
  if (release === null) return false;
  const ready = readyOf(context, object, foundOf(context, release));
  // A change of its user is not installed yet.
  const status = isChanged ? "False" : "True";
  const synced: ConditionInput = { type: "Synced", status, reason: "AwaitsRollout", message: why };
  await writeStatus(context, composition, { conditions: [ready, synced] });
  sayTransition(context, object, ready);
  return true;
}

/**
 * Reports an object whose turn in the rollout of a new version of its chart has not come: its release stays as it is, and its status is still
 * told. Null if it may be installed or upgraded now. An object that its user changed does not wait, unless the rollout is paused or stopped.
 */
export async function awaitTurn(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
): Promise<Result | null> {
  const { object } = composition;
  if (!isOnVersion(object) || object.metadata.labels?.[LABEL.version] === served.version) return null;
  // Its labels name no chart that is served, so that it takes part in no rollout: the record of its release chose the chart.
  if (context.servedFor(object) !== served) return null;
  const why = context.rollouts.turnOf(object, served);
  if (why === true) return null;
  const revisions = await revisionsOf(context, composition);
  const [newest] = revisions;
  if (newest === undefined) return null;
  const isChanged = specDigest(valuesIn(newest.release)) !== specDigest(object.spec);
  if (isChanged && context.rollouts.admitChanged(object, served)) return null;
  const isTold = await reportWaiting(context, composition, { revisions, isChanged, why });
  return isTold ? { requeueAfter: context.resyncSeconds * 1000 } : null;
}
