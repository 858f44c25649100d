import type { Logger } from "pino";
import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { EventRecorder } from "../../cluster/create-event-recorder.ts";
import type { Resource } from "../../model/kubernetes.ts";
import type { ElementoKind } from "../kinds.ts";
import type { ElementoCatalog } from "../read-elemento-catalog.ts";
import type { PendingNetworks } from "../step/check-border.ts";
import type { Tenants } from "../tenants.ts";
import type { Metrics } from "./metrics.ts";
import type { Account, AccountKey, Accounts } from "./open-accounts.ts";

/** The parts that a reconcile of one object uses. */
export interface OperatorContext {
  readonly client: KubeClient;
  readonly accounts: Accounts;
  /** The account of objects that name none. */
  readonly ownAccount: AccountKey;
  readonly catalog: ElementoCatalog;
  readonly record: EventRecorder;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** ms since 1970 */
  readonly nowMs: () => number;
  readonly startedAt: number;
  readonly resyncMs: number;
  readonly tenants: Tenants;
  readonly pendingNetworks: PendingNetworks;
  /** All objects of the four kinds, from the cache of the informers. */
  list(): Resource[];
  /** Another object of the four kinds, from the informer's cache. */
  find(kind: ElementoKind, namespace: string, name: string): Resource | undefined;
  /** Takes the answer of a write: the informer may lack it yet. */
  wrote(object: Resource): void;
}

/** One object in a reconcile. `object` is what was written last. */
export interface Item {
  readonly kind: ElementoKind;
  /** Its path at the API server. */
  readonly path: ApiPath;
  readonly account: Account;
  object: Resource;
}
