import type { Resource, ServedChart } from "../types.ts";
import type { Instance, InstanceContext } from "./context.ts";
import { FINALIZER, LABEL } from "./keys.ts";
import { releaseName } from "./release-name.ts";

/** Krateo's labels for a composition; a release name that is there stays. */
export function labelsOf(composition: Resource, served: ServedChart): Record<string, string> {
  const { name = "", uid = "", labels = {} } = composition.metadata;
  return {
    [LABEL.version]: served.version,
    [LABEL.definitionName]: served.definition.name,
    [LABEL.definitionNamespace]: served.definition.namespace,
    [LABEL.definitionGroup]: "core.krateo.io",
    [LABEL.definitionVersion]: "v1alpha1",
    [LABEL.definitionResource]: "compositiondefinitions",
    [LABEL.releaseName]: labels[LABEL.releaseName] ?? releaseName(name, uid),
  };
}

/** Puts labels and finalizer on the composition before anything is installed for it; one patch, or none. */
export async function adoptComposition(
  context: InstanceContext,
  instance: Instance,
  served: ServedChart,
): Promise<Instance> {
  const { metadata } = instance.composition;
  const labels = labelsOf(instance.composition, served);
  const labelled = Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
  const finalizers = metadata.finalizers ?? [];
  if (labelled && finalizers.includes(FINALIZER)) return instance;
  const wanted = finalizers.includes(FINALIZER) ? finalizers : [...finalizers, FINALIZER];
  // With the resource version, or a finalizer that someone else adds meanwhile would be lost.
  const patch = { metadata: { labels, finalizers: wanted, resourceVersion: metadata.resourceVersion } };
  const composition = await context.cluster.patch<Resource>(instance.path, "merge", patch);
  return { ...instance, composition };
}
