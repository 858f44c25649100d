import { LandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { sha256Digest } from "../../model/sha256.ts";
import { IMAGE_MANIFEST } from "../media-types.ts";
import type { Registry } from "./open-registry.ts";
import type { Reference } from "./parse-reference.ts";

export interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  annotations: Record<string, unknown>;
  /** Of an entry in a list of referrers. */
  artifactType?: string;
}

export interface Image {
  /** `sha256:…` of the manifest, which is signed. */
  digest: string;
  /** Bytes of the manifest. */
  size: number;
  layers: Descriptor[];
}

/** Bytes: it is parsed before anything of it is verified, on the thread that also answers requests. */
const MANIFEST_LIMIT = 64 * 1024;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

function descriptor(value: unknown): Descriptor | null {
  if (!isObject(value)) return null;
  const { mediaType, digest, size, annotations, artifactType } = value;
  if (typeof mediaType !== "string" || typeof digest !== "string" || !DIGEST.test(digest)) return null;
  if (typeof size !== "number" || !Number.isSafeInteger(size) || size < 0) return null;
  const type = typeof artifactType === "string" ? { artifactType } : {};
  return { mediaType, digest, size, annotations: isObject(annotations) ? annotations : {}, ...type };
}

function listBelow(body: Buffer, key: string, ref: string): (Descriptor | null)[] {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch (thrown) {
    throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `its manifest: ${messageOf(thrown)}` }, thrown);
  }
  const list: unknown = isObject(value) ? value[key] : undefined;
  if (Array.isArray(list)) return list.map(descriptor);
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: `its manifest names no ${key}` });
}

/** The valid descriptors below `key` of an index. Throws BUNDLE_UNREADABLE if there is no list. */
export const validDescriptors = (body: Buffer, key: string, ref: string): Descriptor[] =>
  listBelow(body, key, ref).filter((one) => one !== null);

/** The descriptors of a manifest's layers. Throws BUNDLE_UNREADABLE if one of them is not valid. */
function layersOf(body: Buffer, ref: string): Descriptor[] {
  const found = listBelow(body, "layers", ref);
  if (found.every((one) => one !== null)) return found;
  throw new LandfallError("BUNDLE_UNREADABLE", { ref, detail: "its manifest names no layers" });
}

/** Bytes of the manifest, and whether it may be missing. */
interface Wanted {
  optional?: boolean;
  limit?: number;
}

/**
 * The manifest of a tag or a digest; null if it does not exist and that is expected. Throws BUNDLE_TAMPERED,
 * BUNDLE_UNREADABLE, BUNDLE_LIMIT.
 */
export async function fetchImage(
  registry: Registry,
  reference: Reference,
  { optional = false, limit = MANIFEST_LIMIT }: Wanted = {},
): Promise<Image | null> {
  const { host, repository, version } = reference;
  const ref = `${host}/${repository}${version.includes(":") ? "@" : ":"}${version}`;
  const body = await registry.get(reference, `manifests/${version}`, {
    accept: IMAGE_MANIFEST,
    limit,
    optional,
  });
  if (body === null) return null;
  const digest = sha256Digest(body);
  if (version.includes(":") && digest !== version)
    throw new LandfallError("BUNDLE_TAMPERED", { ref, detail: `its manifest is ${digest}` });
  return { digest, size: body.length, layers: layersOf(body, ref) };
}
