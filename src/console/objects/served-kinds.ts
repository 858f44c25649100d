import type { ApiPath } from "../../cluster/api-path.ts";
import type { KubeClient } from "../../cluster/client/create-client.ts";
import { discover, objectPath } from "../../cluster/discover.ts";
import { LandfallError } from "../../errors.ts";
import { API_VERSION, COMPOSITION_GROUP, isKind, type Kind, KINDS } from "../../model/names.ts";

/** The path of one object of a kind, or of the collection; of all namespaces if `namespace` is null. */
export type PathOf = (namespace: string | null, name: string | null) => ApiPath;

/** The paths of Landfall's kinds in the cluster, each in its newest version. Throws CLI_KIND if it serves none, REL_API…. */
export async function servedKinds(client: KubeClient): Promise<ReadonlyMap<Kind, PathOf>> {
  const groups = await discover(client).group(COMPOSITION_GROUP);
  const served = groups.flatMap(({ apiVersion, resources }) =>
    resources.filter(({ kind }) => isKind(kind)).map((resource) => ({ apiVersion, resource })),
  );
  const paths = KINDS.flatMap((kind): [Kind, PathOf][] => {
    const found = served.find(({ resource }) => resource.kind === kind);
    if (found === undefined) return [];
    const { apiVersion, resource } = found;
    return [[kind, (namespace, name) => objectPath(apiVersion, resource, namespace, name)]];
  });
  if (paths.length === 0) throw new LandfallError("CLI_KIND", { kind: KINDS.join(" and "), apiVersion: API_VERSION });
  return new Map(paths);
}
