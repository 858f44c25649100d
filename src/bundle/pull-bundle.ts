import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { LandfallError, messageOf } from "../errors.ts";
import { isObject } from "../model/json.ts";
import { IMAGE_LAYER } from "./media-types.ts";
import { runProgram } from "./run-program.ts";

export interface PullBundleOptions {
  /** `registry/repository:tag`, `registry/repository@sha256:…`, or the path of a tarball. */
  ref: string;
  /** Path of the crane binary; not needed for a file. */
  crane?: string | undefined;
  /** The registry speaks HTTP without TLS. */
  plainHttp?: boolean | undefined;
}

export interface PulledBundle {
  bytes: Buffer;
  /** `sha256:…` of the tarball, checked. */
  digest: string;
}

const sha256 = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function ask(options: PullBundleOptions, verb: string, ref: string): Promise<Buffer> {
  const { crane, plainHttp } = options;
  if (crane === undefined)
    throw new LandfallError("BUNDLE_REGISTRY", {
      ref,
      detail: "there is no such file, and no crane to ask a registry",
    });
  const { code, stdout, stderr } = await runProgram(crane, [verb, ref, ...(plainHttp === true ? ["--insecure"] : [])]);
  if (code !== 0) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: stderr.trim() });
  return stdout;
}

/** The digest of the image's one layer. */
function layerDigest(manifest: Buffer, ref: string): string {
  let value: unknown;
  try {
    value = JSON.parse(manifest.toString("utf8"));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: messageOf(thrown) }, thrown);
  }
  const layers: unknown = isObject(value) ? value["layers"] : undefined;
  const [layer, ...more] = Array.isArray(layers) ? (layers as unknown[]) : [];
  if (
    isObject(layer) &&
    more.length === 0 &&
    layer["mediaType"] === IMAGE_LAYER &&
    typeof layer["digest"] === "string"
  ) {
    return layer["digest"];
  }
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `the image has no single layer of type ${IMAGE_LAYER}` });
}

async function pullImage(options: PullBundleOptions): Promise<PulledBundle> {
  const { ref } = options;
  const digest = layerDigest(await ask(options, "manifest", ref), ref);
  const repository = ref.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const bytes = await ask(options, "blob", `${repository}@${digest}`);
  const found = sha256(bytes);
  if (found !== digest)
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `the layer is ${found}, its manifest says ${digest}` });
  return { bytes, digest };
}

/**
 * The tarball of a bundle from a registry, or from a file. Throws BUNDLE_REGISTRY where it cannot be had, and
 * BUNDLE_UNREADABLE where the image is none of a bundle.
 */
export async function pullBundle(options: PullBundleOptions): Promise<PulledBundle> {
  if (!(await isFile(options.ref))) return pullImage(options);
  const bytes = await readFile(options.ref);
  return { bytes, digest: sha256(bytes) };
}
