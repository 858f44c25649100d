import type { ApiPath } from "../../../cluster/api-path.ts";
import { objectPath } from "../../../cluster/discover.ts";
import { COMPOSITION_GROUP } from "../../../model/names.ts";
import type { CompositionContext } from "../../context/composition-context.ts";

interface Former {
  kind: string;
  namespace: string;
  name: string;
}

/** The path that an object had, in a version that the API server serves; null if it serves the kind in none. */
export async function formerPath({ discovery }: CompositionContext, former: Former): Promise<ApiPath | null> {
  for (const { apiVersion, resources } of await discovery.group(COMPOSITION_GROUP)) {
    const resource = resources.find(({ kind }) => kind === former.kind);
    if (resource !== undefined) return objectPath(apiVersion, resource, former.namespace, former.name);
  }
  return null;
}
