import type { KubernetesObject } from "../kubernetes.ts";
import { ANNOTATION } from "../names.ts";
import type { KeyRing } from "./key-ring.ts";
import { parseSignature } from "./signature.ts";

/** The id of the key that the object's decision names, if the ring does not have it; null if it does, or if none is named. */
export function lostKeyOf(ring: KeyRing, { metadata }: Pick<KubernetesObject, "metadata">): string | null {
  const signature = parseSignature(metadata.annotations?.[ANNOTATION.seal] ?? "");
  if (signature === null || signature.use === "legacy") return null;
  return ring.some(({ id }) => id === signature.keyId) ? null : signature.keyId;
}
