import { openRetentions } from "../record/open-retentions.ts";
import type { KeyRing } from "../../model/decision-annotation/key-ring.ts";
import { join } from "node:path";
import type { Logger } from "pino";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import type { Connections } from "../../cluster/client/open-connections.ts";
import type { RestConfig } from "../../cluster/client/rest-config.ts";
import type { QueueLimits } from "../../cluster/queue/fair-queue.ts";
import { shareSlots } from "../../cluster/queue/share-slots.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import { type Gateway, startGateway } from "../gateway/start-gateway.ts";
import { openHelmWorker } from "../helm/helm-worker.ts";
import { resetOnCrds } from "../helm/reset-on-crds.ts";
import type { ProgramOfHelm } from "../helm/run-helm.ts";
import type { WorkerProgram } from "../helm/worker-process.ts";
import { openRecords } from "../record/open-records.ts";
import { type Identities, openIdentities } from "./open-identities.ts";

export interface InstallerOptions {
  config: RestConfig;
  connections: Connections;
  /** The controller's own. */
  client: KubeClient;
  helm: ProgramOfHelm;
  /** Calls helm without a process for each call; null for none. */
  helmWorker: WorkerProgram | null;
  /** How many helm processes run at the same time; those of one namespace leave one slot to others. */
  workers: number;
  systemNamespace: string;
  keys: (() => KeyRing) | null;
  dataDirectory: string;
  log: Logger;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

/** The installer: helm, behind the gateway, with one identity for each namespace. */
export interface Installer extends Pick<
  CompositionContext,
  "tenant" | "clientIn" | "withHelm" | "records" | "retentions"
> {
  /** Lets the RoleBindings go of namespaces that are no longer needed. */
  releaseIdentities: Identities["release"];
  stop(): Promise<void>;
}

/** Ms for which a check of an identity counts: before helm is called, and before something is read. */
const [HELM_CHECK_MS, CHECK_MS] = [1000, 30_000];

/** Calls of helm at the same time, besides the workers, that end runs. */
const URGENT_SLOTS = 2;

/** A namespace's deletions, which do not wait behind its installations. */
const deletionsOf = (namespace: string): string => `${namespace} deletions`;

/** Slots of helm for `workers` calls. Installations and deletions of a namespace are served alternately, and leave one slot of both to others. */
export const helmSlots = (workers: number): QueueLimits => ({
  all: workers,
  group: Math.max(1, workers - 1),
  extra: URGENT_SLOTS,
  // The names of namespaces have no spaces.
  holder: (group) => group.split(" ")[0] ?? group,
});

/** Opens the records and identities. The gateway starts with the first call of helm. */
export function openInstaller(options: InstallerOptions): Installer {
  const { config, connections, client, helm, systemNamespace, log, nowSeconds } = options;
  const records = openRecords({ client, log, systemNamespace, keys: options.keys });
  const identities = openIdentities({ config, connections, client, systemNamespace });
  const slots = shareSlots(helmSlots(options.workers));
  const tenant = (namespace: string): KubeClient => identities.client(namespace);
  const program = options.helmWorker;
  const worker = program === null ? null : openHelmWorker({ program, log, nowMs: () => performance.now() });
  const unfollow = worker === null ? null : resetOnCrds(client, worker, log);
  let started: Promise<Gateway> | null = null;

  function gateway(): Promise<Gateway> {
    const upstream = identities.upstream.bind(identities);
    const directory = join(options.dataDirectory, "gateway");
    started ??= startGateway({ records, tenant, upstream, directory, log, nowSeconds });
    return started;
  }

  return {
    ...{ records, tenant, retentions: openRetentions(client, systemNamespace) },
    withHelm({ namespace, isDeletion, isUrgent, guard }, work) {
      const call = async () => {
        await identities.ensure(namespace, HELM_CHECK_MS);
        const session = { namespace, ...(guard === undefined ? {} : { guard }) };
        return (await gateway()).open(session, ({ kubeconfig, ...access }) =>
          work({ ...helm, kubeconfig, ...(worker === null ? {} : { worker: { process: worker, access } }) }),
        );
      };
      return slots(isDeletion ? deletionsOf(namespace) : namespace, call, isUrgent);
    },
    releaseIdentities: (isNeeded) => identities.release(isNeeded),
    async clientIn(namespace) {
      await identities.ensure(namespace, CHECK_MS);
      return tenant(namespace);
    },
    async stop() {
      unfollow?.();
      await worker?.stop();
      await (await started)?.stop();
    },
  };
}
