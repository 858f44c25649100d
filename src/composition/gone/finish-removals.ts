import type { Logger } from "pino";
import { messageOf } from "../../errors.ts";
import { apiPath } from "../../cluster/api-path.ts";
import { API_VERSION } from "../../model/names.ts";
import type { ReleaseMark } from "../../model/decision-annotation/system-secrets.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { LABEL } from "../keys.ts";
import { listInstalled } from "../release/list-installed.ts";
import { removeInstalled } from "../release/remove-installed.ts";
import { forgetRelease, uninstall } from "../remove/remove-release.ts";
import { repeat } from "../repeat.ts";
import type { Resource } from "../types.ts";
import { formerPath } from "./former-path.ts";

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

/** A provider can refuse to delete for days: each look at a removal comes later than the one before, up to this. */
const LONGEST_MS = 60_000;

/** The number of resources that are left of a release that another object has by now: only what is being deleted is not that object's. */
async function leftBeside(context: CompositionContext, { namespace, release }: ReleaseMark): Promise<number> {
  const installed = await listInstalled(context, namespace, release);
  return installed.filter(({ object }) => object.metadata.deletionTimestamp !== undefined).length;
}

async function leftOf(context: CompositionContext, composition: Composition, mark: ReleaseMark): Promise<number> {
  const { namespace, uid, release } = mark;
  const owner = await context.records.mark(namespace, release);
  if (owner !== null && owner.uid !== uid) return leftBeside(context, mark);
  // helm, or the controller that called it, ended before it was done.
  if (owner !== null) await uninstall(context, composition, release);
  return (await removeInstalled(context, composition, release, "REL_LEFTOVERS")).length;
}

/** Continues one removal whose object is gone. Throws REL_… and the API server's errors. */
export async function finishRemoval(context: CompositionContext, mark: ReleaseMark): Promise<void> {
  const { kind, namespace, name, uid, release } = mark;
  const path = await formerPath(context, mark);
  if (path === null) return;
  const present = await context.client.get<Resource>(path);
  if (present?.metadata.uid === uid) return;
  const metadata = { namespace, name, uid, labels: { [LABEL.releaseName]: release } };
  const composition = {
    key: `~removed/${namespace}/${uid}`,
    path,
    object: { apiVersion: API_VERSION, kind, metadata },
  };
  const inNamespace = await context.client.get<Resource>(apiPath`/api/v1/namespaces/${namespace}`);
  if (inNamespace !== null) {
    await context.clientIn(namespace);
    if ((await leftOf(context, composition, mark)) > 0) return;
  }
  await context.removals.ended(uid);
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

  async function finish(): Promise<void> {
    const marks = await context.removals.list();
    const objects = marks.length === 0 ? null : list();
    if (objects === null) return;
    const uids = new Set(objects.map(({ object }) => object.metadata.uid));
    const gone = marks.filter(({ uid }) => !uids.has(uid));
    next = new Map([...next].filter(([uid]) => gone.some((mark) => mark.uid === uid)));
    for (const mark of gone) {
      const { uid, namespace, release } = mark;
      const { at, pause } = next.get(uid) ?? { at: 0, pause: everyMs };
      if (nowMs() < at) continue;
      next.set(uid, { at: nowMs() + pause, pause: Math.min(LONGEST_MS, 2 * pause) });
      await finishRemoval(context, mark).catch((thrown: unknown) => {
        log.warn({ namespace, release, error: messageOf(thrown) }, "a removal was not continued");
      });
    }
  }

  return repeat(finish, { everyMs, log, failure: "removals without an object were not continued" });
}
