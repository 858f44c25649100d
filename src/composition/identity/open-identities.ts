import { setTimeout as sleep } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { actAs } from "../../cluster/act-as.ts";
import { apiPath, below } from "../../cluster/api-path.ts";
import { createClient, type KubeClient } from "../../cluster/create-client.ts";
import { createOnce } from "../../cluster/create-once.ts";
import type { RestConfig } from "../../cluster/rest-config.ts";
import { LandfallError } from "../../errors.ts";
import { PART_OF_LANDFALL } from "../../model/decision-annotation/system-secrets.ts";
import type { Upstream } from "../gateway/forward-request.ts";
import type { Resource } from "../types.ts";

/** The identities that install: one ServiceAccount for each namespace, which has the charts' rights in that namespace only. */
export interface Identities {
  /** A client with the rights of the namespace's identity. */
  client(namespace: string): KubeClient;
  /** The same for requests that are passed on. */
  upstream(namespace: string): Upstream;
  /**
   * Creates the identity and binds its rights, or puts back what was changed. A check that is no older than `maxAgeMs` counts.
   * Throws REL_IDENTITY.
   */
  ensure(namespace: string, maxAgeMs: number): Promise<void>;
}

export interface IdentityOptions {
  config: RestConfig;
  dispatcher: Dispatcher;
  /** The controller's own. */
  client: KubeClient;
  /** Landfall's own namespace: whoever has the role `edit` in a namespace can act as its ServiceAccounts. */
  systemNamespace: string;
}

/** The one ClusterRole that the controller may bind: the kinds that charts install. */
const ROLE = "landfall-charts";
/** Name of the RoleBinding in each namespace. */
const BINDING = "landfall-charts";
const RBAC = "rbac.authorization.k8s.io";
const REVIEWS = apiPath`/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
/** Ms in which the API server learns of a new RoleBinding. */
const LEARN_MS = 5000;

const accountOf = (namespace: string): string => `landfall-tenant-${namespace}`;

type Binding = Resource & { roleRef?: { kind?: string; name?: string }; subjects?: unknown };

function bindingOf(namespace: string, systemNamespace: string) {
  return {
    ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding" },
    metadata: { name: BINDING, namespace, labels: PART_OF_LANDFALL },
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

async function awaitRights(client: KubeClient, namespace: string): Promise<void> {
  for (let waited = 0; !(await mayInstall(client, namespace)); waited += 50) {
    if (waited >= LEARN_MS) {
      throw new LandfallError("REL_IDENTITY", { namespace, detail: `ClusterRole ${ROLE} is missing or empty` });
    }
    await sleep(50);
  }
}

/** Opens the identities that helm works with. Even a forged release could change nothing outside of its namespace. */
export function openIdentities({ config, dispatcher, client, systemNamespace }: IdentityOptions): Identities {
  const clients = new Map<string, KubeClient>();
  const accounts = new Set<string>();
  const checks = new Map<string, { at: number; done: Promise<void> }>();
  const configOf = (namespace: string): RestConfig =>
    actAs(config, `system:serviceaccount:${systemNamespace}:${accountOf(namespace)}`);

  function clientOf(namespace: string): KubeClient {
    const known = clients.get(namespace) ?? createClient(configOf(namespace), dispatcher);
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
    const collection = apiPath`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`;
    const wanted = bindingOf(namespace, systemNamespace);
    const found = await client.get<Binding>(below(collection, BINDING));
    if (found !== null && isIntact(found, wanted)) return;
    // The role of a binding cannot be changed.
    if (found !== null) await client.remove(below(collection, BINDING));
    await createOnce(client, collection, wanted);
    const bound = await client.get<Binding>(below(collection, BINDING));
    // Nothing waits for a finalizer that keeps another one in its place: a wait holds a worker that others need.
    if (bound === null || !isIntact(bound, wanted)) {
      throw new LandfallError("REL_IDENTITY", { namespace, detail: `RoleBinding ${BINDING} is not Landfall's` });
    }
    await awaitRights(clientOf(namespace), namespace);
  }

  return {
    client: clientOf,
    upstream: (namespace) => ({ server: config.server, dispatcher, headers: configOf(namespace).headers }),
    async ensure(namespace, maxAgeMs) {
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
