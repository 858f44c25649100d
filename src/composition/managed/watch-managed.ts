import { LandfallError } from "../../errors.ts";
import type { Resource } from "../types.ts";
import { shortFields, withoutManagers } from "../../cluster/short-object.ts";
import type { ApiPath } from "../../cluster/api-path.ts";
import { type KubeClient, METADATA_ONLY } from "../../cluster/client/create-client.ts";
import type { ApiResource, Discovery } from "../../cluster/discover.ts";
import { objectPath } from "../../cluster/discover.ts";
import { marksIn } from "../claims/owned-marks.ts";
import type { Informer } from "../../cluster/create-informer.ts";
import { createInformer } from "../../cluster/create-informer.ts";

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
  /** From the informer's cache, or as it was last read; undefined if it is missing or not known. */
  get(key: ObjectKey): Resource | undefined;
  /** As the API server has it now; only the metadata of a Secret. */
  read(key: ObjectKey): Promise<Resource | null>;
  /** Registers the key that is handled when the object changes. */
  claim(key: ObjectKey, owner: string): void;
  release(owner: string): void;
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

/** Status, spec and the names are read; the field managers take half of the memory, and users write labels and annotations. */
function slim(object: Resource): Resource {
  const metadata = withoutManagers(object.metadata);
  const { labels, annotations } = metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      ...(labels === undefined ? {} : { labels: { ...shortFields(labels), ...marksIn(labels) } }),
      ...(annotations === undefined ? {} : { annotations: { ...shortFields(annotations), ...marksIn(annotations) } }),
    },
  };
}

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
  const unwatched = new Map<string, Resource>();
  const informers = new Map<string, Informer>();
  const owners = new Map<string, Set<string>>();
  const claims = new Map<string, Set<string>>();

  function start(path: ApiPath): Informer {
    return createInformer({
      client,
      path,
      keep: slim,
      onChange(before, now) {
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

  return {
    async ensure(apiVersion, kind) {
      const resource = await resourceOf(apiVersion, kind);
      if (!isWatched({ apiVersion })) return resource;
      const id = `${apiVersion} ${kind}`;
      const informer = informers.get(id) ?? start(objectPath(apiVersion, resource, null, null));
      informers.set(id, informer);
      await informer.syncedWithin(options.listLimitMs).catch((thrown: unknown) => {
        // A kind that cannot be listed is not asked for until a reconcile needs it again.
        informer.stop();
        if (informers.get(id) === informer) informers.delete(id);
        throw thrown;
      });
      return resource;
    },
    get: (key) => {
      if (!isWatched(key)) return unwatched.get(textOf(key));
      const informer = informers.get(`${key.apiVersion} ${key.kind}`);
      return informer?.lister.get(key.namespace, key.name) ?? informer?.lister.get("", key.name);
    },
    async read(key) {
      const resource = await resourceOf(key.apiVersion, key.kind);
      const { apiVersion, kind, namespace, name } = key;
      const path = objectPath(apiVersion, resource, namespace, name);
      const found = await tenant(namespace).get<Resource>(path, {
        maxBytes: OBJECT_BYTES,
        ...(isSecret(key) ? { accept: METADATA_ONLY } : {}),
      });
      const object = found && isSecret(key) ? { apiVersion, kind, metadata: found.metadata } : found;
      if (isWatched(key)) return object;
      if (object === null) unwatched.delete(textOf(key));
      else unwatched.set(textOf(key), slim(object));
      return object;
    },
    claim(key, owner) {
      const id = textOf(key);
      owners.set(id, (owners.get(id) ?? new Set()).add(owner));
      const of = claims.get(owner) ?? new Set();
      claims.set(owner, of.add(id));
    },
    release(owner) {
      for (const id of claims.get(owner) ?? []) {
        const of = owners.get(id);
        of?.delete(owner);
        if (of?.size !== 0) continue;
        owners.delete(id);
        unwatched.delete(id);
      }
      claims.delete(owner);
    },
    stop() {
      for (const informer of informers.values()) informer.stop();
    },
  };
}
