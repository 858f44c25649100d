import { setTimeout as sleep } from "node:timers/promises";
import { actAs } from "../../cluster/client/act-as.ts";
import { apiPath, below } from "../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../cluster/client/create-client.ts";
import type { Connections } from "../../cluster/client/open-connections.ts";
import { listObjects } from "../../cluster/list-objects.ts";
import { createOnce } from "../../cluster/create-once.ts";
import type { RestConfig } from "../../cluster/client/rest-config.ts";
import { LandfallError } from "../../errors.ts";
import { LANDFALL_SECRETS, PART_OF_LANDFALL } from "../../model/names.ts";
import type { Upstream } from "../gateway/forward-request.ts";
import type { Resource } from "../types.ts";

/** The identities that install: one ServiceAccount for each namespace, which has the charts' rights in that namespace only. */
export interface Identities {
  /** A client with the rights of the namespace's identity. */
  client(namespace: string): KubeClient;
  /** The same for requests that are passed on. */
  upstream(namespace: string): Upstream;
  /**
   * Creates the identity and binds its rights, or puts back what was changed. A check that is at most `maxAgeMs` counts.
   * Throws REL_IDENTITY.
   */
  ensure(namespace: string, maxAgeMs: number): Promise<void>;
  /** Lets the RoleBindings go of namespaces for which `isNeeded` says no. */
  release(isNeeded: (namespace: string) => boolean): Promise<void>;
}

export interface IdentityOptions {
  config: RestConfig;
  connections: Connections;
  /** The controller's own. */
  client: KubeClient;
  /** Landfall's own namespace: anyone who has the role `edit` in a namespace can act as its ServiceAccounts. */
  systemNamespace: string;
}

/** The one ClusterRole that the controller may bind: the kinds that charts install. */
const ROLE = "landfall-charts";
/** Name of the RoleBinding in each namespace. */
const BINDING = "landfall-charts";
const RBAC = "rbac.authorization.k8s.io";
const REVIEWS = apiPath`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
/**
 * On each RoleBinding, while its namespace has objects: in a namespace that is being deleted it would go first, and could not be
 * created again, so that nothing could remove the objects' releases.
 */
const FINALIZER = "landfall.dev/compositions";
/**
 * Ms for which a namespace's binding is needed after it was last asked for, whatever the cache of compositions shows: the cache
 * learns of an object's finalizer after the reconcile that set it has begun to install.
 */
const HELD_MS = 10_000;
/** Ms in which the API server learns of a new RoleBinding. */
const LEARN_MS = 5000;

const ACCOUNT = "landfall-tenant-";
const accountOf = (namespace: string): string => `${ACCOUNT}${namespace}`;
const bindingsPath = (namespace: string) =>
  apiPath`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;

type Binding = Resource & { roleRef?: { kind?: string; name?: string }; subjects?: unknown };

function bindingOf(namespace: string, systemNamespace: string) {
  return {
    ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding" },
    metadata: { name: BINDING, namespace, labels: PART_OF_LANDFALL, finalizers: [FINALIZER] },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: ROLE },
    subjects: [{ kind: "ServiceAccount", name: accountOf(namespace), namespace: systemNamespace }],
  };
}

function isIntact({ roleRef, subjects }: Binding, wanted: ReturnType<typeof bindingOf>): boolean {
  const [subject] = wanted.subjects;
  const found: unknown[] = Array.isArray(subjects) ? subjects : [];
  const is = (one: unknown): boolean =>
    typeof one === "object" &&
    one !== null &&
    Object.entries(subject ?? {}).every(([key, value]) => Reflect.get(one, key) === value);
  return roleRef?.kind === "ClusterRole" && roleRef.name === ROLE && found.length === 1 && found.every(is);
}

async function mayInstall(client: KubeClient, namespace: string): Promise<boolean> {
  const resourceAttributes = { namespace, verb: "create", resource: "secrets" };
  const review = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes },
  };
  const answer = await client.create<Resource>(REVIEWS, review);
  return answer.status?.["allowed"] === true;
}

async function setFinalizers(
  client: KubeClient,
  namespace: string,
  found: Binding,
  finalizers: string[],
): Promise<void> {
  const { resourceVersion } = found.metadata;
  const patch = { metadata: { finalizers, resourceVersion } };
  await client.patch(below(bindingsPath(namespace), BINDING), "merge", patch);
}

/** A binding that is being deleted takes no new finalizer. */
async function hold(client: KubeClient, namespace: string, found: Binding): Promise<void> {
  const { finalizers = [], deletionTimestamp } = found.metadata;
  if (finalizers.includes(FINALIZER) || deletionTimestamp !== undefined) return;
  await setFinalizers(client, namespace, found, [...finalizers, FINALIZER]);
}

async function letGo(client: KubeClient, namespace: string, found: Binding): Promise<void> {
  const { finalizers = [] } = found.metadata;
  if (!finalizers.includes(FINALIZER)) return;
  await setFinalizers(
    client,
    namespace,
    found,
    finalizers.filter((one) => one !== FINALIZER),
  );
}

async function awaitRights(client: KubeClient, namespace: string): Promise<void> {
  for (let waited = 0; !(await mayInstall(client, namespace)); waited += 50) {
    if (waited >= LEARN_MS) {
      throw new LandfallError("REL_IDENTITY", { namespace, detail: `ClusterRole ${ROLE} is missing or empty` });
    }
    await sleep(50);
  }
}

/** Opens the identities that helm works with. Even a forged release could change nothing outside of its namespace. */
export function openIdentities({ config, connections, client, systemNamespace }: IdentityOptions): Identities {
  const clients = new Map<string, KubeClient>();
  const accounts = new Set<string>();
  const checks = new Map<string, { at: number; done: Promise<void> }>();
  /** When a namespace's identity was last asked for, in ms of `performance.now()`. */
  const asked = new Map<string, number>();
  /** Namespaces whose binding was let go, and not needed since. */
  const released = new Set<string>();
  const configOf = (namespace: string): RestConfig =>
    actAs(config, `system:serviceaccount:${systemNamespace}:${accountOf(namespace)}`);

  function clientOf(namespace: string): KubeClient {
    const known = clients.get(namespace) ?? createClient(configOf(namespace), connections);
    clients.set(namespace, known);
    return known;
  }

  async function ensureAccount(namespace: string): Promise<void> {
    if (accounts.has(namespace)) return;
    const metadata = { name: accountOf(namespace), labels: PART_OF_LANDFALL };
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata, automountServiceAccountToken: false };
    await createOnce(client, apiPath`/api/v1/namespaces/${systemNamespace}/serviceaccounts`, account);
    accounts.add(namespace);
  }

  async function check(namespace: string): Promise<void> {
    await ensureAccount(namespace);
    released.delete(namespace);
    const collection = bindingsPath(namespace);
    const wanted = bindingOf(namespace, systemNamespace);
    const found = await client.get<Binding>(below(collection, BINDING));
    if (found !== null && isIntact(found, wanted)) return hold(client, namespace, found);
    // The role of a binding cannot be changed.
    if (found !== null) {
      await letGo(client, namespace, found);
      await client.remove(below(collection, BINDING));
    }
    await createOnce(client, collection, wanted);
    const bound = await client.get<Binding>(below(collection, BINDING));
    // Nothing waits for a finalizer that keeps another one in its place: a wait holds a worker that others need.
    if (bound === null || !isIntact(bound, wanted)) {
      throw new LandfallError("REL_IDENTITY", { namespace, detail: `RoleBinding ${BINDING} is not Landfall's` });
    }
    await awaitRights(clientOf(namespace), namespace);
  }

  const isHeld = (namespace: string): boolean => performance.now() - (asked.get(namespace) ?? -HELD_MS) < HELD_MS;

  /** An identity that was asked for meanwhile is needed: no request stands between this check and the write, which names the version. */
  async function releaseOne(namespace: string): Promise<void> {
    const found = await client.get<Binding>(below(bindingsPath(namespace), BINDING));
    if (isHeld(namespace)) return;
    checks.delete(namespace);
    asked.delete(namespace);
    if (found !== null) await letGo(client, namespace, found);
    released.add(namespace);
  }

  async function release(isNeeded: (namespace: string) => boolean): Promise<void> {
    const path = apiPath`/api/v1/namespaces/${systemNamespace}/serviceaccounts`;
    const { items } = await listObjects(client, path, { labels: LANDFALL_SECRETS, metadataOnly: true });
    const known = items.flatMap(({ metadata: { name = "" } }) =>
      name.startsWith(ACCOUNT) ? [name.slice(ACCOUNT.length)] : [],
    );
    for (const namespace of known) {
      if (!released.has(namespace) && !isHeld(namespace) && !isNeeded(namespace)) await releaseOne(namespace);
    }
  }

  return {
    client: clientOf,
    release,
    upstream: (namespace) => ({
      server: config.server,
      dispatcher: connections.calls,
      headers: configOf(namespace).headers,
    }),
    async ensure(namespace, maxAgeMs) {
      asked.set(namespace, performance.now());
      const known = checks.get(namespace);
      if (known !== undefined && performance.now() - known.at <= maxAgeMs) return known.done;
      const done = check(namespace);
      checks.set(namespace, { at: performance.now(), done });
      await done.catch((thrown: unknown) => {
        checks.delete(namespace);
        throw thrown;
      });
    },
  };
}
