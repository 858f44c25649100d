import { type ApiPath, apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { type ApiResource, objectPath } from "../../cluster/discover.ts";
import { listMetadata } from "../../cluster/list-metadata.ts";
import type { CompositionContext } from "../context/composition-context.ts";
import type { Resource } from "../types.ts";

/** An object that helm made, as far as its metadata tell. */
export interface Installed {
  object: Resource;
  path: ApiPath;
}

/** Objects that operators derive from a release's resources may carry the same annotations. */
export const isOwned = ({ metadata }: Resource): boolean =>
  Array.isArray((metadata as { ownerReferences?: unknown }).ownerReferences);

interface Kind {
  apiVersion: string;
  resource: ApiResource;
}

interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
}

const RULES = apiPath`/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`;
/** Helm's label on all that it makes. */
const SELECTED = { labels: "app.kubernetes.io/managed-by=Helm", page: 100, most: 5000 };
/** Kinds of the core group that charts may install. */
const CORE: ApiResource[] = [
  { kind: "ConfigMap", name: "configmaps", namespaced: true },
  { kind: "Secret", name: "secrets", namespaced: true },
];

/** The plurals of the kinds that the identity of the namespace may delete, by their groups; `*` is every kind of the group. */
async function deletable(client: KubeClient, namespace: string): Promise<Map<string, string[]>> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
  const { status } = await client.create<{ status?: { resourceRules?: Rule[] } }>(RULES, review);
  const rules = (status?.resourceRules ?? []).filter(({ verbs }) => verbs.includes("delete") || verbs.includes("*"));
  const plurals = new Map<string, string[]>();
  for (const { apiGroups = [], resources = [] } of rules)
    for (const group of apiGroups.filter((name) => !["", "*"].includes(name)))
      plurals.set(group, [...(plurals.get(group) ?? []), ...resources]);
  return plurals;
}

/**
 * These kinds of a group. Every version shows every object of its kinds. The newest one can lack a kind: ASO gives each kind versions of
 * its own.
 */
async function kindsIn(context: CompositionContext, group: string, plurals: readonly string[]): Promise<Kind[]> {
  const served = (await context.discovery.group(group)).flatMap(({ apiVersion, resources }) =>
    resources.map((resource) => ({ apiVersion, resource })),
  );
  const wanted = served.filter(
    ({ resource: { namespaced, name } }) => namespaced && (plurals.includes("*") || plurals.includes(name)),
  );
  // Of several entries with one key, a map keeps the last: here the newest.
  return [...new Map(wanted.reverse().map((kind) => [kind.resource.name, kind])).values()];
}

async function kindsOf(context: CompositionContext, namespace: string): Promise<Kind[]> {
  const plurals = await deletable(context.tenant(namespace), namespace);
  const found = await Promise.all([...plurals].map(([group, names]) => kindsIn(context, group, names)));
  return [...CORE.map((resource) => ({ apiVersion: "v1", resource })), ...found.flat()];
}

function isOf(release: string, namespace: string, { metadata: { annotations = {} } }: Pick<Resource, "metadata">) {
  return (
    annotations["meta.helm.sh/release-name"] === release &&
    annotations["meta.helm.sh/release-namespace"] === namespace &&
    annotations["helm.sh/resource-policy"] !== "keep"
  );
}

/**
 * The resources that helm made for the release and has to delete with it, by helm's own marks: of every kind that charts may install in the
 * namespace, read with the rights of its identity. For a release whose record is gone: it takes a list for each kind.
 */
export async function listInstalled(
  context: CompositionContext,
  namespace: string,
  release: string,
): Promise<Installed[]> {
  const client = context.tenant(namespace);
  const found: Installed[] = [];
  for (const { apiVersion, resource } of await kindsOf(context, namespace)) {
    const collection = objectPath(apiVersion, resource, namespace, null);
    const items = await listMetadata<Pick<Resource, "metadata">>(client, collection, SELECTED);
    for (const { metadata } of items.filter((item) => isOf(release, namespace, item))) {
      const object = { apiVersion, kind: resource.kind, metadata };
      found.push({ object, path: below(collection, metadata.name ?? "") });
    }
  }
  return found;
}
