import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { LandfallError, messageOf } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { IMAGE_CONFIG, IMAGE_LAYER } from "./media-types.ts";
import { parseReference, referenceTo } from "./registry/parse-reference.ts";
import { pushImage, type PushTarget } from "./registry/push-image.ts";

export interface PushBundleOptions extends PushTarget {
  /** The tarball. */
  file: string;
}

export interface PushedBundle {
  /** `registry/repository@sha256:…` */
  ref: string;
  /** `sha256:…` of the image's manifest. */
  digest: string;
  /** Bytes of the manifest. */
  size: number;
}

async function readTarball(file: string): Promise<{ bytes: Buffer; contentDigest: string }> {
  try {
    const bytes = await readFile(file);
    return { bytes, contentDigest: sha256Digest(gunzipSync(bytes)) };
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref: file, detail: messageOf(thrown) }, thrown);
  }
}

/**
 * Pushes a bundle as an OCI image that `opa run` can pull. Equal tarballs give equal digests. Throws BUNDLE_UNREADABLE
 * for a file that is not a gzipped archive, BUNDLE_REGISTRY_… for errors of the registry.
 */
export async function pushBundle({ file, ...target }: PushBundleOptions): Promise<PushedBundle> {
  const reference = parseReference(target.ref);
  const { bytes, contentDigest } = await readTarball(file);
  const rootfs = { type: "layers", diff_ids: [contentDigest] };
  const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", config: {}, rootfs }));
  const { digest, size } = await pushImage(target, {
    config: { mediaType: IMAGE_CONFIG, bytes: config },
    layers: [{ mediaType: IMAGE_LAYER, bytes }],
  });
  return { ref: referenceTo(reference, digest), digest, size };
}
