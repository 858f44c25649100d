import { readFile } from "node:fs/promises";
import { asLandfallError, LandfallError } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { type BundleRelease, readRelease } from "../model/bundle-format/bundle-release.ts";
import { isFile } from "./is-file.ts";
import { IMAGE_LAYER } from "./media-types.ts";
import { fetchBlob } from "./registry/fetch-blob.ts";
import { fetchImage, type Descriptor, type Image } from "./registry/fetch-image.ts";
import { openRegistry, type Registry } from "./registry/open-registry.ts";
import { parseReference, type Reference, referenceTo } from "./registry/parse-reference.ts";
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

/** A bundle, and the rollback that goes back to it; null where the reference names the bundle itself. */
export interface UsedBundle extends PulledBundle {
  rollback: (BundleRelease & { image: string | null }) | null;
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

/** Throws what is wrong with an image as what is wrong with the rollback that names it. */
async function pullEarlier(registry: Registry, reference: Reference, image: Image): Promise<PulledBundle> {
  const ref = referenceTo(reference, image.digest);
  try {
    const pulled = await pullLayer(registry, reference, image);
    const { rollback } = readRelease(pulled.bytes, ref);
    if (rollback === null) return pulled;
    throw new LandfallError("BUNDLE_ROLLBACK", { ref, detail: `it is a rollback itself, to ${rollback}` });
  } catch (thrown) {
    const { code, params } = asLandfallError(thrown);
    if (code !== "BUNDLE_UNREADABLE") throw thrown;
    throw new LandfallError("BUNDLE_ROLLBACK", { ref, detail: String(params["detail"]) }, thrown);
  }
}

/** The bundle that a rollback goes back to. Throws BUNDLE_ROLLBACK where the repository has none of this digest, and as `pullLayer`. */
export async function pullTarget(registry: Registry, reference: Reference, digest: string): Promise<PulledBundle> {
  const image = await fetchImage(registry, { ...reference, version: digest }, { optional: true });
  if (image !== null) return pullEarlier(registry, reference, image);
  const ref = referenceTo(reference, digest);
  throw new LandfallError("BUNDLE_ROLLBACK", { ref, detail: "the repository has no such image" });
}

async function readTarball(file: string): Promise<PulledBundle> {
  const bytes = await readFile(file);
  return { bytes, digest: sha256Digest(bytes), image: null };
}

async function pullFrom(registry: Registry, reference: Reference, ref: string): Promise<PulledBundle> {
  const image = await fetchImage(registry, reference);
  if (image === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
  return pullLayer(registry, reference, image);
}

/**
 * The tarball of a bundle from a registry or a file. Throws BUNDLE_REGISTRY_… if it cannot be fetched,
 * BUNDLE_UNREADABLE if the image is not a bundle, BUNDLE_TAMPERED if its bytes do not match its digest.
 */
export async function pullBundle(options: PullBundleOptions): Promise<PulledBundle> {
  const { ref } = options;
  if (await isFile(ref)) return readTarball(ref);
  const reference = parseReference(ref);
  const registry = await openRegistry(options);
  try {
    return await pullFrom(registry, reference, ref);
  } finally {
    await registry.close();
  }
}

/**
 * As `pullBundle`; where the image is a rollback, the bundle that it goes back to, as webhooks do. Throws the same errors, and
 * BUNDLE_ROLLBACK.
 */
export async function pullUsed(options: PullBundleOptions): Promise<UsedBundle> {
  const { ref } = options;
  if (await isFile(ref)) return { ...(await readTarball(ref)), rollback: null };
  const reference = parseReference(ref);
  const registry = await openRegistry(options);
  try {
    const pulled = await pullFrom(registry, reference, ref);
    const release = readRelease(pulled.bytes, ref);
    if (release.rollback === null) return { ...pulled, rollback: null };
    const target = await pullTarget(registry, reference, release.rollback);
    return { ...target, rollback: { ...release, image: pulled.image } };
  } finally {
    await registry.close();
  }
}
