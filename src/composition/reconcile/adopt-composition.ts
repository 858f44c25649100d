import type { Resource, ServedChart } from "../types.ts";
import { chooseRelease } from "../release/choose-release.ts";
import type { Composition, CompositionContext } from "../context/composition-context.ts";
import { findRelease } from "../release/find-release.ts";
import { FINALIZER, LABEL } from "../keys.ts";

/** Krateo's labels for a composition whose release has this name. */
export const labelsOf = ({ definition, version }: ServedChart, release: string): Record<string, string> => ({
  [LABEL.version]: version,
  [LABEL.definitionName]: definition.name,
  [LABEL.definitionNamespace]: definition.namespace,
  [LABEL.definitionGroup]: "core.krateo.io",
  [LABEL.definitionVersion]: "v1alpha1",
  [LABEL.definitionResource]: "compositiondefinitions",
  [LABEL.releaseName]: release,
});

/**
 * Puts labels and finalizer on the composition before anything is installed for it; one patch, or none. A label that
 * names a release which is not the composition's is corrected, with an Event.
 */
export async function adoptComposition(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
): Promise<Composition> {
  const { metadata } = composition.object;
  const { name, refused } = chooseRelease(composition.object, await findRelease(context, composition));
  const labels = labelsOf(served, name);
  const labelled = Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
  const finalizers = metadata.finalizers ?? [];
  if (labelled && finalizers.includes(FINALIZER)) return composition;
  const wanted = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
  // With the resource version, or a finalizer that someone else adds meanwhile would be lost.
  const patch = { metadata: { labels, finalizers: wanted, resourceVersion: metadata.resourceVersion } };
  const object = await context.client.patch<Resource>(composition.path, "merge", patch);
  if (refused) context.record(object, { type: "Warning", reason: refused.code, message: refused.message });
  return { ...composition, object };
}
