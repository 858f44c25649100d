import type { ApiPath } from "../../cluster/api-path.ts";
import { ApiError, hasStatus } from "../../cluster/client/api-error.ts";
import { DONE, type Result } from "../../cluster/queue/work-queue.ts";
import { LandfallError, messageOf } from "../../errors.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { ABANDON, FINALIZER } from "../kinds.ts";
import type { ElementoKind } from "../kinds.ts";
import type { Decision } from "../step/step.ts";
import type { ElementoObject } from "../types.ts";
import type { Item, OperatorContext } from "./context.ts";
import { decideNext } from "./decide-next.ts";
import { explainFailure } from "./explain-failure.ts";
import type { Account } from "./open-accounts.ts";
import { perform } from "./perform.ts";
import { notReady, saveStatus } from "./save-status.ts";

/** The informer does not have someone else's write yet. */
const STALE_MS = 200;

/** Handles deletions that need no look at Elemento, and objects that need nothing. */
function withoutAccount({ metadata, spec }: ElementoObject): Decision | null {
  if (metadata.deletionTimestamp === undefined) return null;
  const nothing = { seen: {}, attempts: {} };
  if (!metadata.finalizers?.includes(FINALIZER)) return { step: { do: "nothing" }, ...nothing };
  const leaves = spec.deletionPolicy === "retain" || metadata.annotations?.[ABANDON] === "true";
  return leaves ? { step: { do: "release" }, ...nothing } : null;
}

const NO_ACCOUNT = {} as Account;

async function step(context: OperatorContext, item: Item): Promise<number | null> {
  const object = item.object as unknown as ElementoObject;
  const early = withoutAccount(object);
  if (early) return perform(context, item, early);
  const { namespace = "" } = object.metadata;
  const secret = object.spec.credentialsSecret;
  // Deletion has to work no matter who may use the account now.
  if (secret === undefined && object.metadata.deletionTimestamp === undefined && context.tenants(namespace) === null)
    throw new LandfallError("ELEMENTO_TENANT", { namespace });
  const key = secret === undefined ? context.ownAccount : { namespace, name: secret.name };
  const opened = await context.accounts.of(key);
  const account = { ...opened, api: opened.api.inTurnOf(namespace) };
  const decision = await decideNext(context, item.object, account);
  context.metrics.stepped(item.kind, decision.step.do);
  context.log.debug({ object: item.path, step: decision.step.do }, "step");
  const known: Item = { ...item, account };
  try {
    return await perform(context, known, decision);
  } finally {
    item.object = known.object;
  }
}

/** Writes the failure into the condition. Returns ms until the next attempt; throws to use the queue's backoff. */
async function fail(context: OperatorContext, item: Item, thrown: unknown): Promise<number> {
  const { say: plain, againMs } = explainFailure(thrown);
  const isStuck = plain.severity === "Error" && item.object.metadata.deletionTimestamp !== undefined;
  const wayOut = `. To let the object go and leave what it has at Elemento, annotate it with ${ABANDON}=true`;
  const say = isStuck ? { ...plain, message: plain.message + wayOut } : plain;
  context.log.warn({ object: item.path, reason: say.reason, error: say.message, againMs }, "step failed");
  try {
    await saveStatus(context, item, {}, [notReady(item.object, say)]);
    if (say.severity === "Error") {
      context.record(item.object, { type: "Warning", reason: say.reason, message: say.message });
    }
  } catch (second) {
    // The condition is only for people; the next attempt does not depend on it.
    context.log.debug({ object: item.path, error: messageOf(second) }, "condition not written");
  }
  if (againMs === null) throw thrown;
  return againMs;
}

/** Performs one step for one object. */
export async function reconcileObject(
  context: OperatorContext,
  { kind, path, object }: { kind: ElementoKind; path: ApiPath; object: Resource },
): Promise<Result> {
  const item: Item = { kind, path, object, account: NO_ACCOUNT };
  try {
    return { requeueAfter: await step(context, item) };
  } catch (thrown) {
    if (hasStatus(thrown, 409)) return { requeueAfter: STALE_MS };
    if (hasStatus(thrown, 404)) return DONE;
    if (thrown instanceof ApiError) throw thrown;
    return { requeueAfter: await fail(context, item, thrown) };
  }
}
