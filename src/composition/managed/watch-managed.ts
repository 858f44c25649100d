import { LandfallError } from "../../errors.ts";
import type { Resource } from "../types.ts";
import type { ApiPath } from "../../cluster/api-path.ts";
import { type KubeClient, METADATA_ONLY } from "../../cluster/client/create-client.ts";
import type { ApiResource, Discovery } from "../../cluster/discover.ts";
import { objectPath } from "../../cluster/discover.ts";
import type { Informer } from "../../cluster/create-informer.ts";
import { createInformer } from "../../cluster/create-informer.ts";
import { KeptShares } from "../../cluster/kept-shares.ts";
import { keepManaged, namesOfManaged } from "./keep-managed.ts";
import { LoadedObjects } from "./loaded-objects.ts";

/** Identifies one object of the cluster. */
export interface ObjectKey {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface ManagedWatches {
  /** Watches the kind from now on; resolves after its first list. Throws REL_HELM if it is not served, or REL_WATCH. */
  ensure(apiVersion: string, kind: string): Promise<ApiResource>;
  /** From the informer's cache, or as it was last read; undefined if it is missing or not known. Of a large object, short fields. */
  get(key: ObjectKey): Resource | undefined;
  /** Whether `get` has all fields of the object, so that its spec can be compared; true if it is missing. */
  isWhole(key: ObjectKey): boolean;
  /** As the API server has it now; only the metadata of a Secret. */
  read(key: ObjectKey): Promise<Resource | null>;
  /** Registers the key that is handled when the object changes. */
  claim(key: ObjectKey, owner: string): void;
  release(owner: string): void;
  /** Reads what the owner claims and of which only the names are kept, for `get` until `unload`. Throws REL_API…. */
  load(owner: string): Promise<void>;
  /** Forgets what was read for the owner. */
  unload(owner: string): void;
  stop(): void;
}

/** Groups of Kubernetes itself, such as `apps` and `networking.k8s.io`. */
const OWN_GROUPS =
  /^(?:v1|(?:apps|autoscaling|batch|extensions|policy|(?:rbac\.authorization|flowcontrol\.apiserver|[a-z]{1,40})\.k8s\.io)\/[^/]{1,40})$/;

/**
 * Kubernetes' own kinds are not watched: a watch would bring all ConfigMaps of the cluster here, and anyone who may edit a namespace makes
 * many and large ones. Those of a release are read at each reconcile.
 */
export const isWatched = ({ apiVersion }: Pick<ObjectKey, "apiVersion">): boolean => !OWN_GROUPS.test(apiVersion);

/** Of Secrets, only whether they exist is asked. */
export const isSecret = ({ apiVersion, kind }: Pick<ObjectKey, "apiVersion" | "kind">): boolean =>
  apiVersion === "v1" && kind === "Secret";

const textOf = ({ apiVersion, kind, namespace, name }: ObjectKey): string =>
  `${apiVersion} ${kind} ${namespace} ${name}`;

/** Most bytes of an object of a release. An API server stores 3 MiB at most. */
const OBJECT_BYTES = 8 * 1024 * 1024;

/** Bytes that are kept of the objects of one namespace: a machine has about five, of some thousand bytes each. */
const MOST_OF_NAMESPACE = 32 * 1024 * 1024;

export interface ManagedOptions {
  client: KubeClient;
  /** Reads single objects, with the rights of their namespace's identity. */
  tenant: (namespace: string) => KubeClient;
  discovery: Discovery;
  onChange: (owner: string) => void;
  onFailure: (path: string, thrown: unknown, failures: number) => void;
  onRecovered: () => void;
  /** Ms that a reconcile waits for the first list of a kind. */
  listLimitMs: number;
}

/** One shared informer per kind of resource in the releases, but for Kubernetes' own kinds. */
export function watchManaged(options: ManagedOptions): ManagedWatches {
  const { client, tenant, discovery } = options;
  const shares = new KeptShares({ parts: keepManaged, least: namesOfManaged }, MOST_OF_NAMESPACE);
  const unwatched = new Map<string, Resource>();
  const loaded = new LoadedObjects();
  const informers = new Map<string, Informer>();
  const owners = new Map<string, Set<string>>();
  const claims = new Map<string, Map<string, ObjectKey>>();

  function start(path: ApiPath): Informer {
    return createInformer({
      client,
      path,
      keep: (object) => shares.keep(object),
      onChange(before, now) {
        if (before !== null && before.metadata.uid !== now?.metadata.uid) shares.drop(before);
        const object = now ?? before;
        if (!object) return;
        const { namespace = "", name = "" } = object.metadata;
        const keys = owners.get(textOf({ apiVersion: object.apiVersion, kind: object.kind, namespace, name }));
        for (const owner of keys ?? []) options.onChange(owner);
      },
      onRecovered: options.onRecovered,
      onFailure: (thrown, failures) => {
        options.onFailure(path, thrown, failures);
      },
    });
  }

  async function resourceOf(apiVersion: string, kind: string): Promise<ApiResource> {
    const resource = await discovery.find(apiVersion, kind);
    if (resource) return resource;
    const detail = `the API server does not serve ${kind} of ${apiVersion}`;
    throw new LandfallError("REL_HELM", { action: "install", release: kind, detail });
  }

  /** Kept, or as it was last read; undefined if it is missing or not known. */
  function keptOf(key: ObjectKey): Resource | undefined {
    if (!isWatched(key)) return unwatched.get(textOf(key));
    const informer = informers.get(`${key.apiVersion} ${key.kind}`);
    return informer?.lister.get(key.namespace, key.name) ?? informer?.lister.get("", key.name);
  }

  /** As the API server has it now; only the metadata of a Secret. */
  async function fetchObject(key: ObjectKey): Promise<Resource | null> {
    const { apiVersion, kind, namespace, name } = key;
    const path = objectPath(apiVersion, await resourceOf(apiVersion, kind), namespace, name);
    const found = await tenant(namespace).get<Resource>(path, {
      maxBytes: OBJECT_BYTES,
      ...(isSecret(key) ? { accept: METADATA_ONLY } : {}),
    });
    return found && isSecret(key) ? { apiVersion, kind, metadata: found.metadata } : found;
  }

  /** A kind that cannot be listed is not asked for until a reconcile needs it again. */
  function giveUp(id: string, informer: Informer): void {
    informer.stop();
    for (const object of informer.lister.list()) shares.drop(object);
    if (informers.get(id) === informer) informers.delete(id);
  }

  return {
    async ensure(apiVersion, kind) {
      const resource = await resourceOf(apiVersion, kind);
      if (!isWatched({ apiVersion })) return resource;
      const id = `${apiVersion} ${kind}`;
      const informer = informers.get(id) ?? start(objectPath(apiVersion, resource, null, null));
      informers.set(id, informer);
      await informer.syncedWithin(options.listLimitMs).catch((thrown: unknown) => {
        giveUp(id, informer);
        throw thrown;
      });
      return resource;
    },
    get: (key) => loaded.get(textOf(key)) ?? keptOf(key),
    isWhole(key) {
      const object = loaded.get(textOf(key)) ?? keptOf(key);
      return object === undefined || (shares.isWhole(object) && !loaded.isPart(object));
    },
    async read(key) {
      const object = await fetchObject(key);
      if (isWatched(key)) return object;
      if (object === null) unwatched.delete(textOf(key));
      else unwatched.set(textOf(key), keepManaged(object).object);
      return object;
    },
    claim(key, owner) {
      const id = textOf(key);
      owners.set(id, (owners.get(id) ?? new Set()).add(owner));
      const of = claims.get(owner) ?? new Map<string, ObjectKey>();
      claims.set(owner, of.set(id, key));
    },
    release(owner) {
      loaded.drop(owner);
      for (const id of claims.get(owner)?.keys() ?? []) {
        const of = owners.get(id);
        of?.delete(owner);
        if (of?.size !== 0) continue;
        owners.delete(id);
        unwatched.delete(id);
      }
      claims.delete(owner);
    },
    async load(owner) {
      for (const [id, key] of claims.get(owner) ?? []) {
        const kept = keptOf(key);
        if (kept === undefined || !shares.isLeast(kept) || loaded.has(id, owner)) continue;
        // One after the other: each can be as large as the API server stores it.
        const object = await fetchObject(key);
        if (object !== null) loaded.put(id, owner, keepManaged(object));
      }
    },
    unload(owner) {
      loaded.drop(owner);
    },
    stop() {
      for (const informer of informers.values()) informer.stop();
    },
  };
}
