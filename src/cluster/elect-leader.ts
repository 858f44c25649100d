import { setTimeout as sleep } from "node:timers/promises";
import type { KubernetesObject } from "../model/kubernetes.ts";
import { hasStatus } from "./client/api-error.ts";
import { apiPath, below } from "./api-path.ts";
import type { KubeClient } from "./client/create-client.ts";

export interface LeaderElectionOptions {
  client: Pick<KubeClient, "get" | "create" | "replace">;
  namespace: string;
  name: string;
  /** Name of this candidate. A process that restarts with the same identity leads again immediately. */
  identity: string;
  /** Annotations of the Lease while this candidate holds it. */
  annotations?: Readonly<Record<string, string>>;
  /** This candidate led and no longer does: it must stop all work that only the leader may do. */
  onStoppedLeading: () => void;
  onFailure: (thrown: unknown) => void;
  /** Milliseconds since 1970, for the times in the Lease that people read. */
  nowMs: () => number;
  /** Milliseconds of a monotonic clock. The lease duration is measured with it. */
  elapsedMs: () => number;
  /** Milliseconds after which a leader that does not renew the Lease may be replaced. */
  leaseDurationMs: number;
  /** Milliseconds between two attempts to take or renew the Lease. */
  retryPeriodMs: number;
}

export interface LeaderElection {
  /** Resolves when this candidate leads for the first time; never if it is released before. */
  elected: Promise<void>;
  /** Releases the Lease, so that the next candidate need not wait until it expires. */
  release(): Promise<void>;
}

interface LeaseSpec {
  holderIdentity: string;
  acquireTime: string;
  renewTime: string;
  leaseTransitions: number;
}

/** A Lease as the leaders write it. */
export interface LeaseObject extends KubernetesObject {
  spec?: Partial<LeaseSpec> & {
    /** A leader that does not renew the Lease for so long may be replaced. */
    leaseDurationSeconds?: number;
  };
}

/** At most so many ms between two looks at the renew deadline. */
const DEADLINE_CHECK_MS = 250;

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
 * Leader election with a coordination.k8s.io Lease: holds it, or waits until it is free. Another leader counts as alive as
 * long as this process sees its Lease change, so the clocks of two machines are never compared.
 */
export function electLeader(options: LeaderElectionOptions): LeaderElection {
  const {
    client,
    namespace,
    name,
    identity,
    annotations = {},
    nowMs,
    elapsedMs,
    leaseDurationMs,
    retryPeriodMs,
  } = options;
  const collection = apiPath`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const path = below(collection, name);
  const elected = Promise.withResolvers<undefined>();
  const abort = new AbortController();
  let seen = { version: "", at: elapsedMs() };
  /** When this candidate last wrote the Lease; null while it does not lead. */
  let writtenAt: number | null = null;

  async function write(before: LeaseObject | null, holder: string): Promise<void> {
    const at = elapsedMs();
    const spec = nextSpec(before?.spec, holder, microTime(nowMs()));
    const { resourceVersion } = before?.metadata ?? {};
    const metadata = { name, namespace, annotations, ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    const leaseDurationSeconds = Math.ceil(leaseDurationMs / 1000);
    const lease = {
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata },
      spec: { ...spec, leaseDurationSeconds },
    };
    await (before === null ? client.create(collection, lease) : client.replace(path, lease));
    writtenAt = holder === identity ? at : null;
  }

  /** Whether no other candidate leads: the Lease has no holder, this holder, or one that did not renew in time. */
  function isFree(lease: LeaseObject | null): boolean {
    const holder = lease?.spec?.holderIdentity ?? "";
    if (holder === "" || holder === identity) return true;
    const version = lease?.metadata.resourceVersion ?? "";
    if (version !== seen.version) seen = { version, at: elapsedMs() };
    return elapsedMs() - seen.at >= leaseDurationMs;
  }

  async function tryAcquireOrRenew(): Promise<void> {
    const lease = await client.get<LeaseObject>(path);
    if (isFree(lease)) {
      await write(lease, identity);
      if (!abort.signal.aborted) elected.resolve(undefined);
    } else if (writtenAt !== null) lose();
  }

  function lose(): void {
    writtenAt = null;
    abort.abort();
    options.onStoppedLeading();
  }

  async function run(): Promise<void> {
    while (!abort.signal.aborted) {
      try {
        await tryAcquireOrRenew();
      } catch (thrown) {
        // 409: another candidate was faster. The next attempt shows which.
        if (!hasStatus(thrown, 409)) options.onFailure(thrown);
      }
      await sleep(retryPeriodMs, undefined, { signal: abort.signal }).catch(() => undefined);
    }
  }

  // The renew deadline, two thirds of the lease duration: this one stops before another may start, also while a request hangs.
  const deadline = setInterval(
    () => {
      if (writtenAt !== null && elapsedMs() - writtenAt >= (leaseDurationMs * 2) / 3) lose();
    },
    Math.min(retryPeriodMs, DEADLINE_CHECK_MS),
  );
  abort.signal.addEventListener("abort", () => {
    clearInterval(deadline);
  });
  const running = run();
  return {
    elected: elected.promise,
    async release() {
      abort.abort();
      await running;
      if (writtenAt === null) return;
      const lease = await client.get<LeaseObject>(path);
      if (lease?.spec?.holderIdentity === identity) await write(lease, "");
    },
  };
}
