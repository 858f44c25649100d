import { PART_OF_LANDFALL } from "../names.ts";
import type { KubernetesObject } from "../kubernetes.ts";
import { type ObservedBoots, readBoots } from "../places/boot-times.ts";

/** The Secret of Landfall's own namespace, where tenants cannot write, that records the observed boot times. */
export const BOOT_RECORD = "landfall.boot-times";

const RECORD = "landfall.dev/boot-times";

/** Reads the metadata of a Secret; null for another one, and nothing observed for one that cannot be read. */
export function readBootRecord({ metadata }: Pick<KubernetesObject, "metadata">): ObservedBoots | null {
  const text = metadata.annotations?.[RECORD];
  if (text === undefined || metadata.name !== BOOT_RECORD) return null;
  try {
    return readBoots(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The metadata of the Secret that records them. */
export const bootRecordMetadata = (observed: ObservedBoots) => ({
  name: BOOT_RECORD,
  labels: PART_OF_LANDFALL,
  annotations: { [RECORD]: JSON.stringify(observed) },
});
