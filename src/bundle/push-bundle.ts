import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { LandfallError, messageOf } from "../errors.ts";
import { IMAGE_CONFIG, IMAGE_LAYER, IMAGE_MANIFEST } from "./media-types.ts";
import { runProgram } from "./run-program.ts";

export interface PushBundleOptions {
  /** Path of the crane binary. */
  crane: string;
  /** The tarball. */
  file: string;
  /** `registry/repository:tag` */
  ref: string;
  /** The registry speaks HTTP without TLS. */
  plainHttp?: boolean;
}

export interface PushedBundle {
  /** `registry/repository@sha256:…` */
  ref: string;
  /** `sha256:…` of the image's manifest. */
  digest: string;
}

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function readTarball(file: string): Promise<{ bytes: Buffer; contentDigest: string }> {
  try {
    const bytes = await readFile(file);
    return { bytes, contentDigest: sha256(gunzipSync(bytes)) };
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref: file, detail: messageOf(thrown) }, thrown);
  }
}

/** An OCI image layout with the tarball as its one layer; answers the digest of its manifest. */
async function writeLayout(folder: string, file: string): Promise<string> {
  const { bytes, contentDigest } = await readTarball(file);
  await mkdir(join(folder, "blobs/sha256"), { recursive: true });
  const put = async (mediaType: string, blob: Buffer): Promise<{ mediaType: string; digest: string; size: number }> => {
    const digest = sha256(blob);
    await writeFile(join(folder, "blobs", digest.replace(":", "/")), blob);
    return { mediaType, digest, size: blob.length };
  };
  const asBlob = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
  const layer = await put(IMAGE_LAYER, bytes);
  const rootfs = { type: "layers", diff_ids: [contentDigest] };
  const config = await put(IMAGE_CONFIG, asBlob({ architecture: "amd64", os: "linux", config: {}, rootfs }));
  const manifest = await put(
    IMAGE_MANIFEST,
    asBlob({ schemaVersion: 2, mediaType: IMAGE_MANIFEST, config, layers: [layer] }),
  );
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return manifest.digest;
}

/** Digest and tag cut off: where the image is, not which one. */
const repositoryOf = (ref: string): string => ref.replace(/@.*$/, "").replace(/:[^:/]*$/, "");

/**
 * Pushes a bundle as an OCI image that `opa run` can pull. Equal tarballs give equal digests.
 * Throws BUNDLE_UNREADABLE for a file that is no gzipped archive, BUNDLE_REGISTRY for what the registry refuses.
 */
export async function pushBundle({ crane, file, ref, plainHttp }: PushBundleOptions): Promise<PushedBundle> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-image-"));
  try {
    const digest = await writeLayout(folder, file);
    const { code, stderr } = await runProgram(crane, [
      "push",
      folder,
      ref,
      ...(plainHttp === true ? ["--insecure"] : []),
    ]);
    if (code !== 0) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: stderr.trim() });
    return { ref: `${repositoryOf(ref)}@${digest}`, digest };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
