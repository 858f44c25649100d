import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { type ApiResource, discover, objectPath } from "../../../cluster/discover.ts";
import { listObjects } from "../../../cluster/list-objects.ts";
import { LandfallError } from "../../../errors.ts";
import type { Resource } from "../../../model/kubernetes.ts";
import { API_VERSION, COMPOSITION_GROUP, isKind, type Kind, KINDS } from "../../../model/names.ts";
import { nearest } from "../../../model/text/nearest.ts";

/** Which objects are meant; null for all. */
export interface Wanted {
  kind: Kind | null;
  namespace: string | null;
  name: string | null;
}

/** The names that people write for a kind. */
const KIND_NAMES: ReadonlyMap<string, Kind> = new Map(
  KINDS.flatMap((kind) => [kind.toLowerCase(), `${kind.toLowerCase()}s`].map((name) => [name, kind] as const)),
);

const wrong = (detail: string): LandfallError => new LandfallError("CLI_USAGE", { detail });

function kindOf(text: string): Kind {
  const kind = KIND_NAMES.get(text.toLowerCase());
  if (kind !== undefined) return kind;
  const meant = nearest(text.toLowerCase(), KIND_NAMES.keys());
  throw wrong(`"${text}" is not a kind: write ${meant ?? KINDS.map((one) => one.toLowerCase()).join(" or ")}`);
}

/** `demo/web`, or `web` with a namespace given apart. */
function nameOf(text: string, given: string | null): Pick<Wanted, "namespace" | "name"> {
  const [first = "", second, ...more] = text.split("/");
  if (first === "" || second === "" || more.length > 0)
    throw wrong(`"${text}" is not an object: write NAMESPACE/NAME, e.g. demo/web`);
  if (second === undefined) {
    if (given === null) throw wrong(`"${text}" has no namespace: write NAMESPACE/${text}, or -n NAMESPACE`);
    return { namespace: given, name: first };
  }
  if (given !== null && given !== first) throw wrong(`-n ${given} and ${text} name two namespaces: omit one of them`);
  return { namespace: first, name: second };
}

/** Whether a word alone stands for a kind, as in `landfall get vmtemplates`. */
const isKindName = (text: string): boolean => KIND_NAMES.has(text.toLowerCase());

/** Reads `[KIND] [NAMESPACE/NAME]`. Throws CLI_USAGE. */
export function readWanted(words: readonly string[], namespace: string | null): Wanted {
  const [first, second] = words;
  if (first === undefined) return { kind: null, namespace, name: null };
  if (second !== undefined) return { kind: kindOf(first), ...nameOf(second, namespace) };
  if (isKindName(first)) return { kind: kindOf(first), namespace, name: null };
  return { kind: null, ...nameOf(first, namespace) };
}

async function read(client: KubeClient, apiVersion: string, resource: ApiResource, wanted: Wanted) {
  const path = objectPath(apiVersion, resource, wanted.namespace, wanted.name);
  if (wanted.name === null) return (await listObjects(client, path)).items;
  const found = await client.get<Resource>(path);
  return found === null ? [] : [found];
}

/** The objects of a cluster, sorted by namespace and name. Throws CLI_KIND if it has no such kind, REL_API…. */
export async function findObjects(client: KubeClient, wanted: Wanted): Promise<Resource[]> {
  const served = (await discover(client).group(COMPOSITION_GROUP)).flatMap(({ apiVersion, resources }) =>
    resources.filter(({ kind }) => isKind(kind)).map((resource) => ({ apiVersion, resource })),
  );
  const kinds = KINDS.filter((kind) => (wanted.kind ?? kind) === kind);
  // Every version holds the same objects; the newest comes first.
  const newest = kinds.flatMap((kind) => served.find(({ resource }) => resource.kind === kind) ?? []);
  if (newest.length === 0)
    throw new LandfallError("CLI_KIND", { kind: wanted.kind ?? KINDS.join(" and "), apiVersion: API_VERSION });
  const found = await Promise.all(newest.map(({ apiVersion, resource }) => read(client, apiVersion, resource, wanted)));
  const key = ({ metadata }: Resource): string => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return found.flat().sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
