import { type ApiPath, apiPath, below } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/create-client.ts";
import { type ApiResource, objectPath } from "../../cluster/discover.ts";
import type { CompositionContext } from "../context.ts";
import type { Resource } from "../types.ts";

/** An object that helm made, as far as its metadata tell. */
export interface Installed {
  object: Resource;
  path: ApiPath;
}

interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
}

interface MetadataList {
  metadata?: { continue?: string };
  items: Pick<Resource, "metadata">[];
}

const RULES = apiPath`/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`;
const METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
/** Helm's label on all that it makes. */
const MADE_BY_HELM = "app.kubernetes.io/managed-by=Helm";
/** Objects in one answer, and in all answers of one kind. */
const [PAGE, MOST] = [100, 5000];
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

async function listMarked(client: KubeClient, path: ApiPath): Promise<MetadataList["items"]> {
  const items: MetadataList["items"] = [];
  let next: string | undefined;
  do {
    const query = { labelSelector: MADE_BY_HELM, limit: PAGE, ...(next === undefined ? {} : { continue: next }) };
    const list = await client.get<MetadataList>(path, { query, accept: METADATA_LIST });
    items.push(...(list?.items ?? []));
    next = list?.metadata?.continue;
  } while (next !== undefined && next !== "" && items.length < MOST);
  return items;
}

function isOf(release: string, namespace: string, { metadata: { annotations = {} } }: Pick<Resource, "metadata">) {
  return (
    annotations["meta.helm.sh/release-name"] === release &&
    annotations["meta.helm.sh/release-namespace"] === namespace &&
    annotations["helm.sh/resource-policy"] !== "keep"
  );
}

/**
 * What helm made for the release and has to delete with it, by helm's own marks: of every kind that charts may install in the
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
    const items = await listMarked(client, collection);
    for (const { metadata } of items.filter((item) => isOf(release, namespace, item))) {
      const object = { apiVersion, kind: resource.kind, metadata };
      found.push({ object, path: below(collection, metadata.name ?? "") });
    }
  }
  return found;
}
