import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { RestConfig } from "../cluster/client/rest-config.ts";
import { createClient } from "../cluster/client/create-client.ts";
import { createEventRecorder } from "../cluster/create-event-recorder.ts";
import { namespaceOf, objectIn } from "../cluster/queue/object-key.ts";
import { createWorkQueue, DONE, type Result, type WorkQueue } from "../cluster/queue/work-queue.ts";
import { messageOf } from "../errors.ts";
import { conditionsOf, type Resource } from "../model/kubernetes.ts";
import { isObject, textOf } from "../model/json.ts";
import type { CallEvent } from "./api/client-options.ts";
import type { ElementoApi } from "./api/elemento-api.ts";
import type { ElementoKind } from "./kinds.ts";
import type { OperatorContext } from "./operator/context.ts";
import type { Metrics } from "./operator/metrics.ts";
import { type AccountKey, type Credentials, openAccounts } from "./operator/open-accounts.ts";
import { reconcileObject } from "./operator/reconcile-object.ts";
import { keyOf, type ObjectWatches, pathOf, watchObjects } from "./operator/watch-objects.ts";
import type { Tenants } from "./tenants.ts";
import type { ElementoCatalog } from "./read-elemento-catalog.ts";

export interface OperatorOptions {
  readonly config: RestConfig;
  readonly open: (credentials: Credentials, onCall: (event: CallEvent) => void) => ElementoApi;
  readonly ownAccount: AccountKey;
  readonly allowedUrls: readonly string[];
  readonly tenants: Tenants;
  readonly catalog: ElementoCatalog;
  /** Concurrent reconciles. */
  readonly workers: number;
  readonly resyncSeconds: number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface Operator {
  health(): { objects: number };
  stop(): Promise<void>;
}

const BACKOFF = { firstMs: 500, maxMs: 30_000 };
/** One namespace uses at most one of so many parts of the workers: those of a slow account wait for Elemento. */
const SHARES = 4;
/** Milliseconds for reconciles to finish at shutdown. */
const DRAIN_MS = 5000;

/** `Ready`, or the severity of the Ready condition. */
function stateOf(object: Resource): string {
  const ready: unknown = conditionsOf(object).find(({ type }) => type === "Ready");
  if (!isObject(ready)) return "Info";
  return ready["status"] === "True" ? "Ready" : textOf(ready["severity"]);
}

interface Parts {
  context: OperatorContext;
  queue: WorkQueue;
  watches: ObjectWatches;
}

async function handle({ context, watches }: Parts, key: string): Promise<Result> {
  const { kind, namespace, name } = objectIn(key);
  const elementoKind = kind as ElementoKind;
  const object = await watches.read(elementoKind, namespace, name);
  if (object === null) return DONE;
  const path = pathOf(elementoKind, namespace, name);
  try {
    return await reconcileObject(context, { kind: elementoKind, path, object });
  } finally {
    const now = watches.find(elementoKind, namespace, name);
    context.metrics.isAt(key, kind, now === undefined ? null : stateOf(now));
  }
}

function createWatches({ context, queue }: Omit<Parts, "watches">, log: Logger): ObjectWatches {
  const watches = watchObjects({
    client: context.client,
    onChange: (object) => {
      queue.forget(keyOf(object));
      queue.add(keyOf(object));
    },
    onGone: (object) => {
      queue.forget(keyOf(object));
      context.metrics.isAt(keyOf(object), object.kind, null);
    },
    onProgress: ({ kind, metadata: { namespace } }) => {
      if (kind !== "ElementoNetwork" && kind !== "ElementoVolume") return;
      const waiting = watches
        .list()
        .filter((object) => object.kind === "ElementoVm" && object.metadata.namespace === namespace);
      for (const object of waiting) if (stateOf(object) !== "Ready") queue.add(keyOf(object));
    },
    onRecovered: () => {
      queue.retryAll();
    },
    onFailure: (path, thrown, failures) => {
      log.warn({ path, failures, error: messageOf(thrown) }, "watch failed; trying again");
    },
  });
  return watches;
}

function createContext(options: OperatorOptions, watches: () => ObjectWatches): OperatorContext {
  const { config, catalog, log, metrics, ownAccount, allowedUrls, resyncSeconds, tenants } = options;
  const client = createClient(config);
  const open = (credentials: Credentials): ElementoApi => options.open(credentials, metrics.called);
  return {
    ...{ client, catalog, log, metrics, ownAccount, tenants, nowMs: Date.now, startedAt: Date.now() },
    accounts: openAccounts({ client, open, own: ownAccount, allowedUrls, nowMs: Date.now }),
    record: createEventRecorder(client, { component: "landfall-elemento", nowMs: Date.now }),
    pendingNetworks: new Map(),
    resyncMs: resyncSeconds * 1000,
    list: () => watches().list(),
    find: (kind, namespace, name) => watches().find(kind, namespace, name),
    wrote: (object) => {
      watches().wrote(object);
    },
  };
}

function createParts(options: OperatorOptions): Parts {
  const { log, workers } = options;
  // The watches are created last: reconciles need them, and only their events start a reconcile.
  const context = createContext(options, () => parts.watches);
  const queue = createWorkQueue({
    ...{ workers, backoff: BACKOFF, handle: (key) => handle(parts, key) },
    groups: { of: namespaceOf, workers: Math.ceil(workers / SHARES) },
    onFailure: (key, thrown, retryMs) => {
      log.info({ key, error: messageOf(thrown), retryMs }, "reconcile failed; trying again");
    },
  });
  const parts: Parts = { context, queue, watches: createWatches({ context, queue }, log) };
  return parts;
}

/** Starts the operator for Elemento's kinds. */
export function startOperator(options: OperatorOptions): Operator {
  const { context, queue, watches } = createParts(options);
  return {
    health: () => ({ objects: watches.list().length }),
    async stop() {
      await Promise.race([queue.drain(), sleep(DRAIN_MS)]);
      watches.stop();
      await context.accounts.close();
      await context.client.close();
    },
  };
}
