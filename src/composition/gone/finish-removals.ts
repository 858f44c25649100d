import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { shareSlots } from "../../cluster/queue/share-slots.ts";
import { apiPath } from "../../cluster/api-path.ts";
import { API_VERSION, COMPOSITION_GROUP } from "../../model/names.ts";
import type { ReleaseMark } from "../../model/decision-annotation/system-secrets.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { LABEL } from "../keys.ts";
import type { Removal } from "../record/open-removals.ts";
import { listInstalled } from "../release/list-installed.ts";
import { removeInstalled } from "../release/remove-installed.ts";
import { putKeepingBack } from "../remove/put-keeping-back.ts";
import { removeFirst } from "../remove/remove-first.ts";
import { forgetRelease, uninstall } from "../remove/remove-release.ts";
import { stillDeleting } from "../release/recorded/still-deleting.ts";
import { repeat } from "../repeat.ts";
import type { Resource } from "../types.ts";
import { formerPath } from "../release/recorded/former-path.ts";

export interface FinishOptions {
  context: CompositionContext;
  /** Null as long as not every kind of composition has been listed. */
  list: () => Composition[] | null;
  log: Logger;
  /** Milliseconds between two looks. */
  everyMs?: number;
  /** Of a clock that is never set. */
  nowMs?: () => number;
}

/** Looks at the same time, and those of one namespace: each reads what is left, and a namespace can have thousands. */
const SHARE = { all: 8, group: 2 };

/** A provider can refuse to delete for days: each look at a removal comes later than the one before, up to this. */
const LONGEST_MS = 60_000;

/** The number of resources that are left of a release that another object has by now: only what is being deleted is not that object's. */
async function leftBeside(context: CompositionContext, { namespace, release }: ReleaseMark): Promise<number> {
  const installed = await listInstalled(context, namespace, release);
  return installed.filter(({ object }) => object.metadata.deletionTimestamp !== undefined).length;
}

async function leftOf(context: CompositionContext, composition: Composition, mark: Removal): Promise<number> {
  const { namespace, uid, release } = mark;
  const owner = await context.records.mark(namespace, release);
  if (owner !== null && owner.uid !== uid) return leftBeside(context, mark);
  // helm, or the controller that called it, ended before it was done.
  const first = owner === null ? [] : await removeFirst(context, composition, release);
  if (first.length > 0) return first.length;
  if (owner !== null) await uninstall(context, composition, release);
  const deleting = await stillDeleting(context, mark);
  await putKeepingBack(context, composition, mark, deleting);
  if (deleting.length > 0) return deleting.length;
  return (await removeInstalled(context, composition, release, "REL_LEFTOVERS")).length;
}

/** The path of an object whose kind is not served: nothing is read or written there. */
const UNSERVED = apiPath`/apis/${COMPOSITION_GROUP}`;

/** Continues one removal whose object is gone. Throws REL_… and the API server's errors. */
export async function finishRemoval(context: CompositionContext, mark: Removal): Promise<void> {
  const { kind, namespace, name, uid, release } = mark;
  const path = await formerPath(context, mark);
  // The group of an object answers 404 also while an API server starts: what is recorded as installed is left then.
  if (path === null && (await context.records.mark(namespace, release)) !== null) return;
  const present = path === null ? null : await context.client.get<Resource>(path);
  if (present?.metadata.uid === uid) return;
  const metadata = { namespace, name, uid, labels: { [LABEL.releaseName]: release } };
  const composition = {
    key: `~removed/${namespace}/${uid}`,
    path: path ?? UNSERVED,
    object: { apiVersion: API_VERSION, kind, metadata },
  };
  const inNamespace = await context.client.get<Resource>(apiPath`/api/v1/namespaces/${namespace}`);
  if (inNamespace !== null) {
    await context.clientIn(namespace);
    if ((await leftOf(context, composition, mark)) > 0) return;
  }
  await context.removals.ended(uid);
  if (path === null) {
    const message = `nothing is left of release ${release}; the API server no longer serves the kind of its object`;
    context.record(composition.object, { type: "Normal", reason: "Uninstalled", message });
  }
  forgetRelease(context, composition);
  context.log.info({ uid, namespace, name, release }, "nothing is left of an object that is gone");
}

/**
 * Continues, at intervals, removals whose objects are gone although their resources are not: a user took the finalizer away. Returns a function that
 * stops it.
 */
export function finishRemovals(options: FinishOptions): () => Promise<void> {
  const { context, list, log, everyMs = 5000, nowMs = () => performance.now() } = options;
  /** By uid: when it is looked at again, and how long after the look before. */
  let next = new Map<string, { at: number; pause: number }>();
  let isStopped = false;
  const slots = shareSlots(SHARE);
  const underway = new Map<string, Promise<void>>();

  async function look(mark: Removal): Promise<void> {
    const { uid, namespace, release } = mark;
    const { pause } = next.get(uid) ?? { pause: everyMs };
    next.set(uid, { at: nowMs() + pause, pause: Math.min(LONGEST_MS, 2 * pause) });
    await finishRemoval(context, mark).catch((thrown: unknown) => {
      log.warn({ namespace, release, error: messageOf(thrown) }, "a removal was not continued");
    });
  }

  async function finish(): Promise<void> {
    const marks = await context.removals.list();
    const objects = marks.length === 0 ? null : list();
    if (objects === null) return;
    const uids = new Set(objects.map(({ object }) => object.metadata.uid));
    const gone = marks.filter(({ uid }) => !uids.has(uid));
    next = new Map([...next].filter(([uid]) => gone.some((mark) => mark.uid === uid)));
    for (const mark of gone) {
      const { uid, namespace } = mark;
      if (underway.has(uid) || nowMs() < (next.get(uid)?.at ?? 0)) continue;
      const work = slots(namespace, () => (isStopped ? Promise.resolve() : look(mark))).finally(() =>
        underway.delete(uid),
      );
      underway.set(uid, work);
    }
  }

  const stop = repeat(finish, { everyMs, log, failure: "removals without an object were not continued" });
  return async () => {
    isStopped = true;
    await stop();
    await Promise.all(underway.values());
  };
}
