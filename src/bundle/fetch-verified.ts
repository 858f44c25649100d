import { readFile } from "node:fs/promises";
import { LandfallError } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { pullLayer, type PulledBundle } from "./pull-bundle.ts";
import { fetchImage } from "./registry/fetch-image.ts";
import type { Registry } from "./registry/open-registry.ts";
import { type Reference, referenceTo } from "./registry/parse-reference.ts";
import type { Trust } from "./signature/trust.ts";
import { verifyFiles } from "./signature/verify-files.ts";
import { verifyImage } from "./signature/verify-image.ts";

export interface VerifiedBundle extends PulledBundle {
  /** The valid signers; empty if no signature is required. */
  signers: string[];
}

/**
 * Fetches an image by its digest and verifies its signature before its layer. Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE,
 * BUNDLE_TAMPERED, BUNDLE_UNREADABLE, BUNDLE_LIMIT, BUNDLE_REGISTRY_….
 */
export async function fetchVerified(
  registry: Registry,
  reference: Reference,
  digest: string,
  trust: Trust,
): Promise<VerifiedBundle> {
  const ref = referenceTo(reference, digest);
  const image = await fetchImage(registry, { ...reference, version: digest });
  if (image === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
  const signers = await verifyImage(registry, reference, digest, trust);
  const pulled = await pullLayer(registry, reference, image);
  return { ...pulled, signers: [...signers, ...verifyFiles({ bytes: pulled.bytes, ref, signed: true }, trust)] };
}

/**
 * Reads a tarball from disk and verifies its `.signatures.json`. Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE,
 * BUNDLE_TAMPERED.
 */
export async function readVerified(file: string, trust: Trust): Promise<VerifiedBundle> {
  const bytes = await readFile(file);
  return {
    bytes,
    digest: sha256Digest(bytes),
    image: null,
    signers: verifyFiles({ bytes, ref: file, signed: false }, trust),
  };
}
