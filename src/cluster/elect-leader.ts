import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { hasStatus } from "./api-error.ts";
import type { KubeClient } from "./create-client.ts";

export interface LeaderElectionOptions {
  client: Pick<KubeClient, "get" | "create" | "replace">;
  namespace: string;
  name: string;
  /** Who asks. A process that comes back under the same name has the Lease again at once. */
  identity: string;
  /** It was held and is not any more: whatever only its holder may do has to end now. */
  onLost: () => void;
  onFailure: (thrown: unknown) => void;
  /** Ms since 1970, for people who read the Lease. */
  nowMs: () => number;
  /** Ms on a clock that nobody sets: by this the Lease runs out. */
  elapsedMs: () => number;
  /** Ms after which a holder that says nothing has lost it. */
  durationMs: number;
  /** Ms between two looks. */
  everyMs: number;
}

export interface Lease {
  /** Resolves when it is held for the first time; never where it is released before. */
  held: Promise<void>;
  /** Gives it back, so that the next one need not wait for it to run out. */
  release(): Promise<void>;
}

interface LeaseSpec {
  holderIdentity: string;
  acquireTime: string;
  renewTime: string;
  leaseTransitions: number;
}

interface LeaseObject extends KubernetesObject {
  spec?: Partial<LeaseSpec>;
}

/** Kubernetes' MicroTime. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

function nextSpec(before: Partial<LeaseSpec> | undefined, holder: string, time: string): LeaseSpec {
  if (before === undefined) return { holderIdentity: holder, acquireTime: time, renewTime: time, leaseTransitions: 0 };
  const { holderIdentity, acquireTime = time, leaseTransitions = 0 } = before;
  const kept = { holderIdentity: holder, renewTime: time };
  if (holderIdentity === holder) return { ...kept, acquireTime, leaseTransitions };
  return { ...kept, acquireTime: time, leaseTransitions: leaseTransitions + 1 };
}

/**
 * Holds a coordination.k8s.io Lease, or waits until nobody else does. Whether another holder is still there is told by its
 * Lease changing, as seen from here: the clocks of two machines are never compared.
 */
export function electLeader(options: LeaderElectionOptions): Lease {
  const { client, namespace, name, identity, nowMs, elapsedMs, durationMs, everyMs } = options;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const held = Promise.withResolvers<undefined>();
  const abort = new AbortController();
  let seen = { version: "", at: elapsedMs() };
  /** When it was last written by us; null where it is not ours. */
  let writtenAt: number | null = null;

  async function write(before: LeaseObject | null, holder: string): Promise<void> {
    const at = elapsedMs();
    const spec = nextSpec(before?.spec, holder, microTime(nowMs()));
    const { resourceVersion } = before?.metadata ?? {};
    const metadata = { name, namespace, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const leaseDurationSeconds = Math.ceil(durationMs / 1000);
    const lease = {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata },
      spec: { ...spec, leaseDurationSeconds },
    };
    await (before === null ? client.create(collection, lease) : client.replace(`${collection}/${name}`, lease));
    writtenAt = holder === identity ? at : null;
  }

  /** Whether nobody else holds it: it is ours or nobody's, or its holder has been silent for too long. */
  function isFree(lease: LeaseObject | null): boolean {
    const holder = lease?.spec?.holderIdentity ?? "";
    if (holder === "" || holder === identity) return true;
    const version = lease?.metadata.resourceVersion ?? "";
    if (version !== seen.version) seen = { version, at: elapsedMs() };
    return elapsedMs() - seen.at >= durationMs;
  }

  async function look(): Promise<void> {
    const lease = await client.get<LeaseObject>(`${collection}/${name}`);
    if (isFree(lease)) {
      await write(lease, identity);
      if (!abort.signal.aborted) held.resolve(undefined);
    } else if (writtenAt !== null) lose();
  }

  function lose(): void {
    writtenAt = null;
    abort.abort();
    options.onLost();
  }

  async function run(): Promise<void> {
    while (!abort.signal.aborted) {
      try {
        await look();
      } catch (thrown) {
        // 409: somebody was faster; the next look says who.
        if (!hasStatus(thrown, 409)) options.onFailure(thrown);
      }
      // Two thirds: it stops before the next one may begin.
      if (writtenAt !== null && elapsedMs() - writtenAt >= (durationMs * 2) / 3) lose();
      await sleep(everyMs, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    held: held.promise,
    async release() {
      abort.abort();
      await running;
      if (writtenAt === null) return;
      const lease = await client.get<LeaseObject>(`${collection}/${name}`);
      if (lease?.spec?.holderIdentity === identity) await write(lease, "");
    },
  };
}
