import { LandfallError } from "../errors.ts";
import { fetchImage } from "./registry/fetch-image.ts";
import type { Registry } from "./registry/open-registry.ts";
import { parseReference, referenceTo } from "./registry/parse-reference.ts";
import type { Trust } from "./signature/trust.ts";
import { verifyImage } from "./signature/verify-image.ts";

/** The verified parts of an image. */
export interface VerifiedContent {
  /** `sha256:…` of the image's manifest. */
  image: string;
  /** The valid signers; empty if no signature is required. */
  signers: string[];
}

/**
 * Verifies that an image has a layer with this digest, and the image's signature as that of a bundle. Throws BUNDLE_TAMPERED,
 * BUNDLE_UNSIGNED, BUNDLE_SIGNATURE, BUNDLE_REGISTRY_….
 */
export async function verifyContent(
  registry: Registry,
  ref: string,
  content: string,
  trust: Trust,
): Promise<VerifiedContent> {
  const reference = parseReference(ref);
  const image = await fetchImage(registry, reference);
  if (image === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
  if (!image.layers.some(({ digest }) => digest === content)) {
    const detail = `it has no layer ${content}`;
    throw new LandfallError("BUNDLE_TAMPERED", { ref: referenceTo(reference, image.digest), detail });
  }
  return { image: image.digest, signers: await verifyImage(registry, reference, image.digest, trust) };
}
