import { readFile } from "node:fs/promises";
import { LandfallError } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { isFile } from "./is-file.ts";
import { IMAGE_LAYER } from "./media-types.ts";
import { fetchBlob } from "./registry/fetch-blob.ts";
import { fetchImage, type Descriptor, type Image } from "./registry/fetch-image.ts";
import { openRegistry, type Registry } from "./registry/open-registry.ts";
import { parseReference, type Reference } from "./registry/parse-reference.ts";
import type { RegistryOptions } from "./registry/registry-options.ts";

export interface PullBundleOptions extends RegistryOptions {
  /** `registry/repository:tag`, `registry/repository@sha256:…`, or the path of a tarball. */
  ref: string;
}

export interface PulledBundle {
  bytes: Buffer;
  /** `sha256:…` of the tarball, verified. */
  digest: string;
  /** `sha256:…` of the image's manifest, which is signed; null for a file. */
  image: string | null;
}

/** Size limit; the largest measured bundle has 5 MB. */
const LAYER_LIMIT = 64 * 1024 * 1024;

/** The image's only layer. */
function onlyLayer({ layers }: Image, ref: string): Descriptor {
  const [layer, ...more] = layers;
  if (layer !== undefined && more.length === 0 && layer.mediaType === IMAGE_LAYER) return layer;
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `the image has no single layer of type ${IMAGE_LAYER}` });
}

/** The tarball of an image whose manifest is known. Throws BUNDLE_UNREADABLE, BUNDLE_TAMPERED, BUNDLE_LIMIT, BUNDLE_REGISTRY_…. */
export async function pullLayer(registry: Registry, reference: Reference, image: Image): Promise<PulledBundle> {
  const layer = onlyLayer(image, `${reference.host}/${reference.repository}@${image.digest}`);
  const bytes = await fetchBlob(registry, reference, layer, LAYER_LIMIT);
  return { bytes, digest: layer.digest, image: image.digest };
}

/**
 * The tarball of a bundle from a registry or a file. Throws BUNDLE_REGISTRY_… if it cannot be fetched,
 * BUNDLE_UNREADABLE if the image is not a bundle, BUNDLE_TAMPERED if its bytes do not match its digest.
 */
export async function pullBundle(options: PullBundleOptions): Promise<PulledBundle> {
  if (await isFile(options.ref)) {
    const bytes = await readFile(options.ref);
    return { bytes, digest: sha256Digest(bytes), image: null };
  }
  const reference = parseReference(options.ref);
  const registry = await openRegistry(options);
  try {
    const image = await fetchImage(registry, reference);
    if (image === null)
      throw new LandfallError("BUNDLE_REGISTRY", { ref: options.ref, detail: "there is no such image" });
    return await pullLayer(registry, reference, image);
  } finally {
    await registry.close();
  }
}
