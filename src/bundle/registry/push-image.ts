import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LandfallError } from "../../errors.ts";
import { sha256Digest } from "../../model/sha256.ts";
import { namesVersion } from "../../model/text/image-version.ts";
import { IMAGE_MANIFEST } from "../media-types.ts";
import { runProgram } from "../run-program.ts";
import type { RegistryOptions } from "./registry-options.ts";
import { craneOptions } from "./crane-options.ts";
import { parseReference } from "./parse-reference.ts";

export interface NewImage {
  config: { mediaType: string; bytes: Buffer };
  layers: { mediaType: string; bytes: Buffer; annotations?: Record<string, string> }[];
  /** Further fields of the manifest: artifactType, subject. */
  fields?: Record<string, unknown>;
}

/** The target of a push; crane is required for uploads. */
export interface PushTarget extends RegistryOptions {
  crane: string;
  /** `registry/repository:tag`; without a tag or digest the image gets the name of its digest. */
  ref: string;
}

export interface PushedImage {
  /** `sha256:…` of the manifest. */
  digest: string;
  /** Bytes of the manifest. */
  size: number;
}

/** Enough for the largest bundle over a slow line. */
const PUSH_MS = 600_000;

/** An OCI image layout in `folder`. */
async function writeLayout(folder: string, { config, layers, fields }: NewImage): Promise<PushedImage> {
  await mkdir(join(folder, "blobs/sha256"), { recursive: true });
  const put = async (
    mediaType: string,
    bytes: Buffer,
  ): Promise<{ mediaType: string; digest: string; size: number }> => {
    const digest = sha256Digest(bytes);
    await writeFile(join(folder, "blobs", digest.replace(":", "/")), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const described = { config: await put(config.mediaType, config.bytes), layers: [] as unknown[] };
  for (const { mediaType, bytes, annotations } of layers)
    described.layers.push({ ...(await put(mediaType, bytes)), ...(annotations === undefined ? {} : { annotations }) });
  const value = { schemaVersion: 2, mediaType: IMAGE_MANIFEST, ...described, ...fields };
  const manifest = await put(IMAGE_MANIFEST, Buffer.from(JSON.stringify(value)));
  await writeFile(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(join(folder, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return { digest: manifest.digest, size: manifest.size };
}

/** crane reports the status as text. */
function failure(ref: string, stderr: string): LandfallError {
  const detail = stderr.trim().split("\n").at(-1) ?? "";
  if (/UNAUTHORIZED|DENIED|status code 40[13]\b|401 Unauthorized|403 Forbidden/i.test(stderr))
    return new LandfallError("BUNDLE_REGISTRY_AUTH", { ref, detail });
  if (/x509|certificate/i.test(stderr)) return new LandfallError("BUNDLE_REGISTRY_TLS", { ref, detail });
  if (/connection refused|no such host|i\/o timeout|EOF/i.test(stderr))
    return new LandfallError("BUNDLE_REGISTRY_AWAY", { ref, detail });
  return new LandfallError("BUNDLE_REGISTRY", { ref, detail });
}

/**
 * Pushes an image with crane, which also maintains a subject's list of referrers. Equal images give equal digests.
 * Throws BUNDLE_REGISTRY_….
 */
export async function pushImage(target: PushTarget, image: NewImage): Promise<PushedImage> {
  const folder = await mkdtemp(join(tmpdir(), "landfall-image-"));
  try {
    const pushed = await writeLayout(folder, image);
    const ref = namesVersion(target.ref) ? target.ref : `${target.ref}@${pushed.digest}`;
    const { flags, env } = craneOptions(parseReference(ref).host, target);
    const { code, stderr } = await runProgram(target.crane, ["push", folder, ref, ...flags], {
      env,
      timeoutMs: PUSH_MS,
    });
    if (code !== 0) throw failure(ref, stderr);
    return pushed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
