import { type ApiPath } from "../../../cluster/api-path.ts";
import { objectPath } from "../../../cluster/discover.ts";
import type { CompositionContext } from "../../context/composition-context.ts";
import { idOf, resourcesIn } from "../../claims/object-ids.ts";
import type { RecordedRevision } from "../../record/release-record.ts";
import type { Resource } from "../../types.ts";

/** An object that a recorded revision installed. */
export interface Recorded {
  manifest: Resource;
  path: ApiPath;
}

/** The manifests of these revisions that are still recorded, by the objects' ids; the first of each. */
export async function manifestsOf(revisions: readonly RecordedRevision[]): Promise<Map<string, Resource>> {
  const found = new Map<string, Resource>();
  for (const { release } of revisions) {
    for (const manifest of await resourcesIn(release))
      if (!found.has(idOf(manifest))) found.set(idOf(manifest), manifest);
  }
  return found;
}

/**
 * The paths of these manifests' objects, by the records alone: whatever their metadata says by now. Kinds that the API server no longer serves have no
 * objects. Throws REL_API….
 */
export async function locate(
  { discovery }: Pick<CompositionContext, "discovery">,
  namespace: string,
  manifests: Iterable<Resource>,
): Promise<Recorded[]> {
  const located: Recorded[] = [];
  for (const manifest of manifests) {
    const { apiVersion, kind, metadata } = manifest;
    const resource = await discovery.find(apiVersion, kind);
    if (resource?.namespaced !== true || (metadata.namespace ?? namespace) !== namespace) continue;
    located.push({ manifest, path: objectPath(apiVersion, resource, namespace, metadata.name ?? "") });
  }
  return located;
}

/** The paths of the objects with these ids. Kinds that the API server no longer serves have no objects. Throws REL_API…. */
export async function pathsOf(
  { discovery }: Pick<CompositionContext, "discovery">,
  namespace: string,
  ids: readonly string[],
): Promise<ApiPath[]> {
  const paths: ApiPath[] = [];
  for (const id of ids) {
    const [group = "", kind = "", name = ""] = id.split(" ");
    const versions = group === "" ? ["v1"] : (await discovery.group(group)).map(({ apiVersion }) => apiVersion);
    for (const apiVersion of versions) {
      const resource = await discovery.find(apiVersion, kind);
      if (resource?.namespaced !== true) continue;
      paths.push(objectPath(apiVersion, resource, namespace, name));
      break;
    }
  }
  return paths;
}
