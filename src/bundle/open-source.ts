import { readFile } from "node:fs/promises";
import { LandfallError } from "../errors.ts";
import { sha256Digest } from "../model/sha256.ts";
import { isFile } from "./is-file.ts";
import { pullLayer } from "./pull-bundle.ts";
import { fetchImage, type Image } from "./registry/fetch-image.ts";
import { openRegistry } from "./registry/open-registry.ts";
import { parseReference, referenceAdvice } from "./registry/parse-reference.ts";
import type { RegistryOptions } from "./registry/registry-options.ts";
import { signerNames } from "./signature/key-name.ts";
import type { Trust } from "./signature/trust.ts";
import { verifyOutside } from "./signature/verify-files.ts";
import { verifyImage } from "./signature/verify-image.ts";

/** A tarball whose image was verified; the reader verifies a `.signatures.json` inside. */
export interface Tarball {
  bytes: Uint8Array;
  /** The digest that it was fetched by: `sha256:…` of the image's manifest, or of the file. */
  digest: string;
  /** Whether the image has a valid signature. */
  signed: boolean;
  signers: string[];
}

/** The source of a followed bundle. */
export interface BundleSource {
  readonly ref: string;
  /** The channel that its bundles should name; undefined for any. */
  readonly channel?: string | undefined;
  /** The present digest of the reference. Throws BUNDLE_REGISTRY_…. */
  digest(): Promise<string>;
  /** Throws BUNDLE_UNSIGNED, BUNDLE_SIGNATURE, BUNDLE_TAMPERED, BUNDLE_UNREADABLE, BUNDLE_LIMIT, BUNDLE_REGISTRY_…. */
  fetch(digest: string): Promise<Tarball>;
  /** Verifies of a tarball what does not need its data: a decision process verifies all of it. Throws as `verifyOutside`. */
  verify(tarball: Tarball): void;
  /** Whether a tarball that was verified earlier has a signer who is trusted now: keys are removed from the settings. */
  trusts(tarball: Tarball): boolean;
  close(): Promise<void>;
}

/** A tarball without a signature of its image is verified by what reads it. */
const trustsOne = ({ signed, signers }: Tarball, trust: Trust): boolean =>
  !signed || trust.mode === "off" || signers.some((name) => signerNames(trust).has(name));

function fileSource(ref: string, trust: Trust): BundleSource {
  const read = async (): Promise<{ bytes: Uint8Array; digest: string }> => {
    const bytes = await readFile(ref).catch((thrown: unknown) => {
      throw new LandfallError("BUNDLE_REFERENCE", { ref, instead: referenceAdvice(ref) }, thrown);
    });
    return { bytes, digest: sha256Digest(bytes) };
  };
  return {
    ref,
    channel: trust.channel,
    digest: async () => (await read()).digest,
    fetch: async () => ({ ...(await read()), signed: false, signers: [] }),
    verify: ({ bytes, signed }) => {
      verifyOutside({ bytes, ref, signed }, trust);
    },
    trusts: (tarball) => trustsOne(tarball, trust),
    close: () => Promise.resolve(),
  };
}

async function registrySource(ref: string, options: RegistryOptions, trust: Trust): Promise<BundleSource> {
  const reference = parseReference(ref);
  const registry = await openRegistry(options);
  const image = async (version: string): Promise<Image> => {
    const found = await fetchImage(registry, { ...reference, version });
    if (found === null) throw new LandfallError("BUNDLE_REGISTRY", { ref, detail: "there is no such image" });
    return found;
  };
  return {
    ref,
    channel: trust.channel,
    digest: async () => (await image(reference.version)).digest,
    fetch: async (digest) => {
      const found = await image(digest);
      const signers = await verifyImage(registry, reference, digest, trust);
      const { bytes } = await pullLayer(registry, reference, found);
      return { bytes, digest, signed: signers.length > 0, signers };
    },
    verify: ({ bytes, signed }) => {
      verifyOutside({ bytes, ref, signed }, trust);
    },
    trusts: (tarball) => trustsOne(tarball, trust),
    close: () => registry.close(),
  };
}

/** A file, or an image of a registry. Makes no request yet. Throws BUNDLE_REFERENCE. */
export const openSource = async (ref: string, options: RegistryOptions, trust: Trust): Promise<BundleSource> =>
  (await isFile(ref)) ? fileSource(ref, trust) : registrySource(ref, options, trust);
