import { ApiError } from "../../cluster/client/api-error.ts";
import type { KubeClient, ReadOptions } from "../../cluster/client/create-client.ts";
import type { Resource } from "../../model/kubernetes.ts";
import { API_VERSION, COMPOSITION_GROUP, KINDS, PLURAL } from "../../model/names.ts";
import type { Finding, FolderContent } from "./read-folder.ts";

const REASON = "the console shows recorded decisions, not a cluster";

const listOf = (kind: string, apiVersion: string, items: readonly object[]): object => ({
  ...{ apiVersion, kind: `${kind}List`, metadata: { resourceVersion: "1" }, items },
});

interface Collection {
  kind: string;
  plural: string;
  /** Group and version. */
  version: string;
  items: readonly Pick<Resource, "metadata">[];
}

/** A collection, of all namespaces and of each, and its objects by name. */
function collection({ kind, plural, version, items }: Collection): [string, unknown][] {
  const base = `/apis/${version}`;
  const byNamespace = Map.groupBy(items, ({ metadata }) => metadata.namespace ?? "");
  return [
    [`${base}/${plural}`, listOf(kind, version, items)],
    ...[...byNamespace].flatMap(([namespace, own]): [string, unknown][] => {
      const path = `${base}/namespaces/${namespace}/${plural}`;
      return [
        [path, listOf(kind, version, own)],
        ...own.map((object): [string, unknown] => [`${path}/${object.metadata.name ?? ""}`, object]),
      ];
    }),
  ];
}

function reportsOf(findings: readonly Finding[]): [string, unknown][] {
  const [version, kind] = ["landfall.dev/v1alpha1", "PlacementReport"];
  const items = [...Map.groupBy(findings, ({ namespace }) => namespace)].map(([namespace, results]) => ({
    ...{ apiVersion: version, kind, metadata: { name: "landfall", namespace }, results },
  }));
  return collection({ kind, plural: "placementreports", version, items });
}

function answersOf({ decided, findings }: FolderContent): Map<string, unknown> {
  const base = `/apis/${API_VERSION}`;
  const all = [...decided.values()];
  const namespaces = new Map(all.map(({ namespace }) => [namespace.name, namespace]));
  const spaces = [...namespaces.values()].map((metadata) => ({ apiVersion: "v1", kind: "Namespace", metadata }));
  const resources = KINDS.map((kind) => ({ kind, name: PLURAL[kind], namespaced: true, verbs: ["list", "watch"] }));
  return new Map<string, unknown>([
    [`/apis/${COMPOSITION_GROUP}`, { versions: [{ groupVersion: API_VERSION }] }],
    [base, { resources }],
    ...KINDS.flatMap((kind) => {
      const items = all.filter(({ object }) => object.kind === kind).map(({ object }) => object);
      return collection({ kind, plural: PLURAL[kind], version: API_VERSION, items });
    }),
    ["/api/v1/namespaces", listOf("Namespace", "v1", spaces)],
    ...spaces.map((space): [string, unknown] => [`/api/v1/namespaces/${space.metadata.name}`, space]),
    ...(findings === null ? [] : reportsOf(findings)),
  ]);
}

/** Chunks of a watch in which nothing happens, until it is aborted. */
async function* nothing(signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const over = Promise.withResolvers<undefined>();
  const end = (): void => {
    over.resolve(undefined);
  };
  if (signal?.aborted === true) end();
  signal?.addEventListener("abort", end, { once: true });
  await over.promise;
  yield* [];
}

/** Paths of a collection of a namespace in which nothing was decided. */
const EMPTY = new RegExp(
  `^/apis/${API_VERSION}/namespaces/[^/]{1,63}/(?:${KINDS.map((kind) => PLURAL[kind]).join("|")})$`,
);

/** A client of recorded decisions: the same answers as an API server that has these objects, and refuses every change. */
export function recordedClient(content: FolderContent): KubeClient {
  const answers = answersOf(content);
  const refuse = (path: string): Promise<never> => Promise.reject(new ApiError(403, { action: path, detail: REASON }));
  return {
    get: async <T>(path: string) => {
      const found = answers.get(path) ?? (EMPTY.test(path) ? listOf("Object", API_VERSION, []) : null);
      return Promise.resolve(found as T | null);
    },
    // The question whether the user could create something is the only one that is asked by a creation.
    create: async <T>(path: string) =>
      path.endsWith("/selfsubjectaccessreviews")
        ? Promise.resolve({ status: { allowed: false, reason: REASON } } as T)
        : refuse(path),
    stream: async (_path, { signal }: ReadOptions) => Promise.resolve(nothing(signal)),
    ...{ replace: refuse, patch: refuse, remove: refuse, close: () => Promise.resolve() },
  };
}
