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

/** The release that helm made this for and has to delete it with; null for what stays. */
function releaseOf(namespace: string, { metadata: { annotations = {} } }: Pick<Resource, "metadata">): string | null {
  const isIn = annotations["meta.helm.sh/release-namespace"] === namespace;
  return isIn && annotations["helm.sh/resource-policy"] !== "keep"
    ? (annotations["meta.helm.sh/release-name"] ?? null)
    : null;
}

/** By release. */
type Found = ReadonlyMap<string, Installed[]>;

/** Adds the objects of these releases, of one kind after the other: the other objects of a kind are held no longer than that. */
async function scan(context: CompositionContext, namespace: string, wanted: Found): Promise<Found> {
  const client = context.tenant(namespace);
  for (const { apiVersion, resource } of await kindsOf(context, namespace)) {
    const collection = objectPath(apiVersion, resource, namespace, null);
    const items = await listMetadata<Pick<Resource, "metadata">>(client, collection, SELECTED);
    for (const item of items) {
      const { metadata } = item;
      const object = { apiVersion, kind: resource.kind, metadata };
      wanted.get(releaseOf(namespace, item) ?? "")?.push({ object, path: below(collection, metadata.name ?? "") });
    }
  }
  return wanted;
}

interface Scans {
  running: Promise<Found>;
  /** Begins when the running one has ended; null if no one asked for it. */
  next: { wanted: Map<string, Installed[]>; found: Promise<Found> } | null;
}

/** By namespace, for each process. */
const scans = new WeakMap<CompositionContext["discovery"], Map<string, Scans>>();

/**
 * Scans a namespace for a release. A scan that begins after it was asked for shows all that was there then: those that ask while one runs share
 * the next. When many objects are deleted at the same time, each kind would be listed once for each of them otherwise.
 */
async function scanFor(context: CompositionContext, namespace: string, release: string): Promise<Found> {
  const ofProcess = scans.get(context.discovery) ?? new Map<string, Scans>();
  scans.set(context.discovery, ofProcess);
  const begin = (wanted: Found): Promise<Found> => {
    const running = scan(context, namespace, wanted).finally(() => {
      if (ofProcess.get(namespace)?.next === null) ofProcess.delete(namespace);
    });
    ofProcess.set(namespace, { running, next: null });
    return running;
  };
  const present = ofProcess.get(namespace);
  if (present === undefined) return begin(new Map([[release, []]]));
  if (present.next === null) {
    const wanted = new Map<string, Installed[]>();
    const found = present.running.catch(() => null).then(() => begin(wanted));
    present.next = { wanted, found };
  }
  const { wanted, found } = present.next;
  if (!wanted.has(release)) wanted.set(release, []);
  return found;
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
  return [...((await scanFor(context, namespace, release)).get(release) ?? [])];
}
