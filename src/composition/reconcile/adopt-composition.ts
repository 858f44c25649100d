import type { Resource, ServedChart } from "../types.ts";
import { type ChosenRelease, chooseRelease } from "../release/choose-release.ts";
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

/** A composition with the labels that it is to have, which are not written yet. */
export interface Adoption {
  composition: Composition;
  /** Null if the composition has them, and the finalizer. */
  patch: { labels: Record<string, string>; finalizers: string[]; resourceVersion: string | undefined } | null;
  refused: ChosenRelease["refused"];
}

const withLabels = (composition: Composition, added: Record<string, string>): Composition => {
  const { object } = composition;
  const labels = { ...object.metadata.labels, ...added };
  return { ...composition, object: { ...object, metadata: { ...object.metadata, labels } } };
};

/** Chooses the release of a composition. What it is does not depend on a write of the object, which its owner can keep from succeeding. */
export async function planAdoption(
  context: CompositionContext,
  composition: Composition,
  served: ServedChart,
): Promise<Adoption> {
  const { metadata } = composition.object;
  const { name, refused } = chooseRelease(composition.object, await findRelease(context, composition));
  const labels = labelsOf(served, name);
  const labelled = Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
  const finalizers = metadata.finalizers ?? [];
  if (labelled && finalizers.includes(FINALIZER)) return { composition, patch: null, refused };
  const wanted = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
  // With the resource version, or a finalizer that someone else adds meanwhile would be lost.
  const patch = { labels, finalizers: wanted, resourceVersion: metadata.resourceVersion };
  return { composition: withLabels(composition, labels), patch, refused };
}

/**
 * Puts labels and finalizer on the composition before anything is installed for it; one patch, or none. A label that
 * names a release which is not the composition's is corrected, with an Event.
 */
export async function adoptComposition(
  context: CompositionContext,
  { composition, patch: metadata, refused }: Adoption,
): Promise<Composition> {
  if (metadata === null) return composition;
  const object = await context.client.patch<Resource>(composition.path, "merge", { metadata });
  if (refused) context.record(object, { type: "Warning", reason: refused.code, message: refused.message });
  return { ...composition, object };
}
