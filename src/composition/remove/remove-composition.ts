import { DONE, type Result } from "../../cluster/queue/work-queue.ts";
import { describe } from "../../errors.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { FINALIZER } from "../keys.ts";
import { findRelease } from "../release/find-release.ts";
import { recordRetained } from "../retain/record-retained.ts";
import { deletionState } from "../status/readiness.ts";
import { writeStatus } from "../status/write-status.ts";
import type { Resource } from "../types.ts";
import { isOrphaned } from "./is-orphaned.ts";
import { removeFirst } from "./remove-first.ts";
import { forgetRelease, LOOK_AGAIN_MS, removeFound, uninstall } from "./remove-release.ts";

function blockedBy(resource: Resource): string {
  const state = deletionState(resource);
  const said =
    state.ready || state.message === "" ? "its operator is deleting it" : `${state.reason}: ${state.message}`;
  const { message } = describe("REL_DELETE_BLOCKED", {
    kind: resource.kind,
    name: resource.metadata.name ?? "",
    detail: said,
  });
  return `${message} [REL_DELETE_BLOCKED]`;
}

async function dropRun({ runs }: CompositionContext, uid: string): Promise<void> {
  if ((await runs.read(uid)) !== null) await runs.remove(uid);
}

async function dropFinalizer(context: CompositionContext, composition: Composition): Promise<void> {
  const { object, path } = composition;
  const { finalizers = [], resourceVersion, uid = "" } = object.metadata;
  await dropRun(context, uid);
  const rest = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  if (rest.length < finalizers.length)
    await context.client.patch(path, "merge", { metadata: { finalizers: rest, resourceVersion } });
  forgetRelease(context, composition);
}

async function reportBlocked(
  context: CompositionContext,
  composition: Composition,
  [first, ...more]: [Resource, ...Resource[]],
): Promise<void> {
  const message = blockedBy(first) + (more.length > 0 ? ` (and ${more.length} more)` : "");
  await writeStatus(context, composition, {
    conditions: [
      { type: "Synced", status: "True", reason: "ReconcileSuccess", message: "" },
      { type: "Ready", status: "False", reason: "Deleting", message },
    ],
  });
}

/** Removes the release of an object that is gone already. What its operators still delete is not waited for. */
export async function removeGone(
  context: CompositionContext,
  composition: Composition,
  release: string,
): Promise<void> {
  const { namespace = "", uid = "" } = composition.object.metadata;
  await context.clientIn(namespace);
  await recordRetained(context, composition, release, false);
  // finishRemovals continues with the rest.
  const first = await removeFirst(context, composition, release);
  if (first.length === 0) await uninstall(context, composition, release);
  await dropRun(context, uid);
  forgetRelease(context, composition);
}

/**
 * Whether anything is to be removed. Users can remove Landfall's finalizer while another one keeps the object: its release is removed
 * nevertheless, or the object would stay for as long as they like, and with it what it runs.
 */
async function isLeft(context: CompositionContext, { metadata }: Resource): Promise<boolean> {
  const { records, removals, uninstalled } = context;
  const { finalizers = [], namespace = "", uid = "" } = metadata;
  if (finalizers.includes(FINALIZER) || uninstalled.has(uid) || (await removals.of(uid)) !== null) return true;
  return (await records.find(namespace, uid)) !== null;
}

/** Its object is still there, and counts: it can wait until its namespace has fewer records. */
function whileKept(context: CompositionContext): Parameters<typeof recordRetained>[0] {
  const { records, nowSeconds, discovery, tenant, runs, retentions } = context;
  return { records, nowSeconds, discovery, tenant, runs, retentions: { record: retentions.recordIfRoom } };
}

/** Removes the release of a composition that is being deleted, and the finalizer when the release's resources are gone. */
export async function removeComposition(context: CompositionContext, composition: Composition): Promise<Result> {
  const { object } = composition;
  if (!(await isLeft(context, object))) return DONE;
  await context.clientIn(object.metadata.namespace ?? "");
  const { own: release } = await findRelease(context, composition);
  const isOrphan = await isOrphaned(context, object, release);
  // It runs on without its object, and still counts.
  if (release !== null) await recordRetained(whileKept(context), composition, release, isOrphan);
  if (isOrphan) {
    await dropFinalizer(context, composition);
    return DONE;
  }
  const [first, ...more] = await removeFound(context, composition, release);
  if (!first) {
    const message = release === null ? "it had no release" : `release ${release} is gone`;
    context.record(object, { type: "Normal", reason: "Uninstalled", message });
    await dropFinalizer(context, composition);
    return DONE;
  }
  await reportBlocked(context, composition, [first, ...more]);
  return { requeueAfter: LOOK_AGAIN_MS };
}
