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

/** The groups in which the identity of the namespace may delete. */
async function groupsOf(client: KubeClient, namespace: string): Promise<string[]> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
  const { status } = await client.create<{ status?: { resourceRules?: Rule[] } }>(RULES, review);
  const rules = (status?.resourceRules ?? []).filter(({ verbs }) => verbs.includes("delete") || verbs.includes("*"));
  return [...new Set(rules.flatMap(({ apiGroups = [] }) => apiGroups))].filter((group) => !["", "*"].includes(group));
}

async function kindsOf(context: CompositionContext, namespace: string) {
  const groups = await groupsOf(context.tenant(namespace), namespace);
  const kinds = CORE.map((resource) => ({ apiVersion: "v1", resource }));
  for (const group of groups) {
    // Every version shows every object.
    const [served] = await context.discovery.group(group);
    const { apiVersion = "", resources = [] } = served ?? {};
    for (const resource of resources) if (resource.namespaced) kinds.push({ apiVersion, resource });
  }
  return kinds;
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
