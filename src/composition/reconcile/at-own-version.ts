import { below, versionPath } from "../../cluster/api-path.ts";
import { COMPOSITION_GROUP } from "../../model/names.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import type { Resource, ServedChart } from "../types.ts";

/** The composition in its own version: other versions drop fields and fill in defaults. */
export async function atOwnVersion(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
): Promise<Composition | null> {
  const apiVersion = `${COMPOSITION_GROUP}/${served.version}`;
  if (composition.object.apiVersion === apiVersion) return composition;
  const { namespace = "", name = "" } = composition.object.metadata;
  const path = below(versionPath(apiVersion), "namespaces", namespace, served.plural, name);
  const object = await context.client.get<Resource>(path);
  return object && { ...composition, object, path };
}
