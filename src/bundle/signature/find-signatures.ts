import { asLandfallError, messageOf } from "../../errors.ts";
import { isObject } from "../../model/json.ts";
import { fetchBlob } from "../registry/fetch-blob.ts";
import { type Descriptor, fetchImage, validDescriptors } from "../registry/fetch-image.ts";
import type { Registry } from "../registry/open-registry.ts";
import type { Reference } from "../registry/parse-reference.ts";
import { type Metered, metered } from "./metered-registry.ts";

/** A signature that was found next to an image; nothing of it is verified yet. */
export type FoundSignature =
  | { kind: "bundle"; bundle: unknown }
  | { kind: "simple"; payload: Buffer; signature: Buffer }
  | { kind: "unreadable"; reason: string };

/** cosign 3: a referrer of the image has a sigstore bundle. */
export const SIGSTORE_BUNDLE = "application/vnd.dev.sigstore.bundle.v0.3+json";
/** cosign 2 and earlier: the tag sha256-….sig has a payload, and its signature as an annotation. */
const SIMPLE_SIGNING = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIMPLE_ANNOTATION = "dev.cosignproject.cosign/signature";

const INDEX = "application/vnd.oci.image.index.v1+json";
/** Bytes. All of it is parsed on the thread that also answers requests, before anything of it is verified. */
const INDEX_LIMIT = 512 * 1024;
const SIGNATURE_LIMIT = 64 * 1024;
/** cosign 2 keeps certificates and log entries of all signatures in this one manifest. */
const OLD_LIMIT = 256 * 1024;
/** Limits, because everybody with write access can add signatures. An entry takes up to 512 bytes of the list. */
const MOST_REFERRERS = 1024;
const MOST_OLD = 32;
/** Layers of one referrer; cosign writes one. */
const MOST_LAYERS = 4;

const tagOf = (digest: string): string => digest.replace(":", "-");

/** The images that refer to this one: from the registry's list, or from the fallback tag. */
async function referrers(registry: Registry, reference: Reference, digest: string): Promise<Descriptor[]> {
  const ask = { accept: INDEX, limit: INDEX_LIMIT, optional: true };
  const list =
    (await registry.get(reference, `referrers/${digest}`, ask)) ??
    (await registry.get(reference, `manifests/${tagOf(digest)}`, ask));
  if (list === null) return [];
  return validDescriptors(list, "manifests", `${reference.host}/${reference.repository}@${digest}`);
}

async function readBundle(registry: Registry, reference: Reference, layer: Descriptor): Promise<FoundSignature> {
  const blob = await fetchBlob(registry, reference, layer, SIGNATURE_LIMIT);
  try {
    const bundle: unknown = JSON.parse(blob.toString("utf8"));
    return isObject(bundle) ? { kind: "bundle", bundle } : { kind: "unreadable", reason: "it is not a JSON object" };
  } catch (thrown) {
    return { kind: "unreadable", reason: messageOf(thrown) };
  }
}

/** Images that say that they have such a bundle come first: others are mostly no signatures. */
const byPromise = (one: Descriptor, other: Descriptor): number =>
  Number(other.artifactType === SIGSTORE_BUNDLE) - Number(one.artifactType === SIGSTORE_BUNDLE);

async function* bundles(registry: Metered, reference: Reference, digest: string): AsyncGenerator<FoundSignature> {
  const found = (await referrers(registry, reference, digest)).sort(byPromise).slice(0, MOST_REFERRERS);
  const seen = new Set<string>();
  for (const version of new Set(found.map((one) => one.digest))) {
    const spent = registry.spent();
    if (spent !== null) {
      yield { kind: "unreadable", reason: `the signatures before it took more than ${spent}` };
      return;
    }
    yield* await bundlesOf(registry, { ...reference, version }, seen).catch(unreadable);
  }
}

/** The bundles in one referrer that no referrer before had; `seen` are the digests of those. */
async function bundlesOf(registry: Registry, referrer: Reference, seen: Set<string>): Promise<FoundSignature[]> {
  const found: FoundSignature[] = [];
  const image = await fetchImage(registry, referrer, { optional: true });
  for (const layer of image?.layers.slice(0, MOST_LAYERS) ?? []) {
    if (layer.mediaType !== SIGSTORE_BUNDLE || seen.has(layer.digest)) continue;
    seen.add(layer.digest);
    found.push(await readBundle(registry, referrer, layer));
  }
  return found;
}

/** A referrer that is broken does not hide the good ones. Throws on what is wrong with the registry as a whole. */
function unreadable(thrown: unknown): FoundSignature[] {
  const { code, line, params } = asLandfallError(thrown);
  const isMissing = code === "BUNDLE_REGISTRY" && /^HTTP 404\b/.test(String(params["detail"]));
  if (code.startsWith("BUNDLE_REGISTRY") && !isMissing) throw thrown;
  return [{ kind: "unreadable", reason: line }];
}

async function simple(registry: Registry, reference: Reference, digest: string): Promise<FoundSignature[]> {
  const old = { ...reference, version: `${tagOf(digest)}.sig` };
  const image = await fetchImage(registry, old, { optional: true, limit: OLD_LIMIT });
  const found: FoundSignature[] = [];
  for (const layer of image?.layers.slice(0, MOST_OLD) ?? [])
    found.push(...(await simpleOf(registry, reference, layer).catch(unreadable)));
  return found;
}

/** The signature in one layer. */
async function simpleOf(registry: Registry, reference: Reference, layer: Descriptor): Promise<FoundSignature[]> {
  const signature = layer.annotations[SIMPLE_ANNOTATION];
  if (layer.mediaType !== SIMPLE_SIGNING || typeof signature !== "string") return [];
  const payload = await fetchBlob(registry, reference, layer, SIGNATURE_LIMIT);
  return [{ kind: "simple", payload, signature: Buffer.from(signature, "base64") }];
}

/**
 * Every signature of the image with this digest, in cosign's old and new locations, as they are read: many that someone else added
 * cost time, and hide none. Throws BUNDLE_REGISTRY_…, and BUNDLE_UNREADABLE for a list of referrers that is none.
 */
export async function* findSignatures(
  registry: Registry,
  reference: Reference,
  digest: string,
): AsyncGenerator<FoundSignature> {
  const counted = metered(registry);
  yield* await simple(counted, reference, digest).catch(unreadable);
  yield* bundles(counted, reference, digest);
}
