import type { KubeClient } from "../cluster/create-client.ts";
import { discover, type Discovery, objectPath } from "../cluster/discover.ts";
import { type Informer, createInformer } from "../cluster/create-informer.ts";
import { messageOf } from "../errors.ts";
import type { NamespaceFacts, Resource } from "../model/kubernetes.ts";
import { COMPOSITION_GROUP, type Kind, KINDS } from "../model/names.ts";
import { type ClusterEvent, workloadKey } from "./cluster-facts.ts";
import { readWorkload } from "./read-workload.ts";

/** How often new kinds are looked for, and how often it is told that all is still as told, in ms. */
const LOOK_MS = 5000;
/** Lists are read again this often even if their watch looks well, in seconds. */
const RELIST_SECONDS = 300;

export interface ClusterWatch {
  /** Whether everything has been read once. */
  synced(): boolean;
  stop(): void;
}

export interface ClusterWatchOptions {
  client: KubeClient;
  onEvent: (event: ClusterEvent) => void;
  onFailure: (message: string) => void;
  /** Seconds since 1970. */
  nowSeconds: () => number;
}

const toNamespace = ({ metadata }: Resource): NamespaceFacts => ({
  name: metadata.name ?? "",
  labels: metadata.labels ?? {},
  annotations: metadata.annotations ?? {},
});

type Served = Awaited<ReturnType<Discovery["group"]>>;

/** kind -> the collections that hold its objects, one for each version that is served. */
function pathsByKind(served: Served): Map<Kind, string[]> {
  const all = served.flatMap(({ apiVersion, resources }) => resources.map((resource) => ({ apiVersion, resource })));
  return new Map(
    KINDS.map((kind) => [
      kind,
      all
        .filter(({ resource }) => resource.kind === kind)
        .map(({ apiVersion, resource }) => objectPath(apiVersion, resource, null, null)),
    ]),
  );
}

/** A list and watch that knows whether it is up to date. */
interface Followed {
  watch: Informer;
  current(): boolean;
}

function follow(
  { client, onFailure }: ClusterWatchOptions,
  path: string,
  onChange: (object: Resource, isThere: boolean) => void,
): Followed {
  let [synced, failing] = [false, false];
  const watch = createInformer({
    client,
    path,
    relistSeconds: RELIST_SECONDS,
    onChange(before, now) {
      const object = now ?? before;
      if (object !== null) onChange(object, now !== null);
    },
    onFailure: (thrown) => {
      failing = true;
      onFailure(messageOf(thrown));
    },
    onRecovered: () => (failing = false),
  });
  watch.synced.then(
    () => (synced = true),
    () => undefined,
  );
  return { watch, current: () => synced && !failing };
}

/**
 * Tells of every change of the cluster's namespaces and of the objects that Landfall decides. Watches are hints: each is
 * followed by a list from time to time, and a broken one is opened again and catches up by a list.
 */
export function watchCluster(options: ClusterWatchOptions): ClusterWatch {
  const { client, onEvent, onFailure, nowSeconds } = options;
  const discovery = discover(client);
  const namespaces = follow(options, "/api/v1/namespaces", (object, isThere) => {
    const name = object.metadata.name ?? "";
    onEvent({ type: "namespace", name, facts: isThere ? toNamespace(object) : null });
  });
  const kinds = new Map<Kind, { path: string; followed: Followed }>();
  let [looked, wasSynced, stopped] = [false, false, false];

  function followKind(kind: Kind, path: string): Followed {
    return follow(options, path, (object, isThere) => {
      const { namespace = "", name = "" } = object.metadata;
      const workload = isThere ? readWorkload(kind, object) : null;
      onEvent({ type: "workload", key: workloadKey(kind, namespace, name), workload });
    });
  }

  /** Follows each kind in one of the versions that are served: every version shows every object. */
  async function look(): Promise<void> {
    const paths = pathsByKind(await discovery.group(COMPOSITION_GROUP));
    for (const kind of stopped ? [] : KINDS) {
      const [known, served = []] = [kinds.get(kind), paths.get(kind)];
      const [first] = served;
      if (first === undefined || (known !== undefined && served.includes(known.path))) continue;
      known?.followed.watch.stop();
      kinds.set(kind, { path: first, followed: followKind(kind, first) });
    }
    looked = true;
  }

  const current = (): boolean =>
    looked && namespaces.current() && [...kinds.values()].every(({ followed }) => followed.current());

  async function tick(): Promise<void> {
    await look().catch((thrown: unknown) => {
      onFailure(messageOf(thrown));
    });
    if (!current()) return;
    wasSynced = true;
    onEvent({ type: "seen", at: nowSeconds() });
  }

  // Quickly at first: whoever waits for readiness waits for this.
  const early = setInterval(() => {
    if (wasSynced) clearInterval(early);
    else if (current()) {
      wasSynced = true;
      onEvent({ type: "seen", at: nowSeconds() });
    }
  }, 50);
  const timer = setInterval(() => void tick(), LOOK_MS);
  void tick();
  return {
    synced: () => wasSynced,
    stop: () => {
      stopped = true;
      clearInterval(early);
      clearInterval(timer);
      namespaces.watch.stop();
      for (const { followed } of kinds.values()) followed.watch.stop();
    },
  };
}
