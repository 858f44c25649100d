import { NO_STORE } from "../../bundle/follow/open-others.ts";
import { takeVerified } from "../../bundle/follow/take-verified.ts";
import { VersionGate } from "../../bundle/follow/version-gate.ts";
import { openSource } from "../../bundle/open-source.ts";
import { type BundleSettings, defaultSettings, readSettings } from "../../bundle/read-settings.ts";
import type { RegistryOptions } from "../../bundle/registry/registry-options.ts";
import type { Trust } from "../../bundle/signature/trust.ts";
import { verifyFiles } from "../../bundle/signature/verify-files.ts";
import { LandfallError } from "../../errors.ts";
import type { LoadedBundles, OtherTarball } from "../../policy/load-bundles.ts";
import { DATA_BYTES } from "../../model/bundle-format/data-bytes.ts";
import { loadApart } from "../bundles/load-apart.ts";

export interface OpenOptions {
  /** Of the platform's bundle: an OCI reference or a file. */
  ref: string;
  /** The file with the trusted signers; without it, signatures are required unless `unsigned`. */
  settings: string | undefined;
  unsigned: boolean;
  registry: RegistryOptions;
  /** Gets why a bundle is not used: an optional one, or a team's whose rules took too long. */
  omitted: (name: string, thrown: unknown) => void;
}

/**
 * The bytes of a bundle whose signature is verified: neither an expired one, nor a rollback, but what it names. The versions before are in a
 * record that only the webhook can read. Throws BUNDLE_….
 */
async function fetchTrusted(
  ref: string,
  registry: RegistryOptions,
  trust: Trust,
  mostBytes?: number,
): Promise<Uint8Array> {
  const source = await openSource(ref, registry, trust);
  try {
    const gate = new VersionGate({ source, store: NO_STORE, nowMs: Date.now });
    const { tarball } = await gate.admit(await takeVerified(source, await source.digest()));
    const { bytes, signed } = tarball;
    verifyFiles({ bytes, ref, signed }, trust, mostBytes);
    return bytes;
  } finally {
    await source.close();
  }
}

const settingsOf = ({ settings, unsigned }: OpenOptions): Promise<BundleSettings> | BundleSettings =>
  settings === undefined ? defaultSettings(unsigned ? "off" : "required") : readSettings(settings);

/** The bundles that the webhook follows, as they are now. Throws BUNDLE_…: the platform's, and required ones, have to be there. */
export async function openBundles(options: OpenOptions): Promise<{ loaded: LoadedBundles; bytes: Uint8Array }> {
  const { ref, registry, omitted } = options;
  const { trust, others } = await settingsOf(options);
  const bytes = await fetchTrusted(ref, registry, trust);
  const required = new Set(others.flatMap((other) => (other.required ? [other.name] : [])));
  const beside = others.map(async (other): Promise<OtherTarball[]> => {
    const { name, kind, packages, namespaces } = other;
    try {
      const fetched = await fetchTrusted(other.ref, registry, other.trust, DATA_BYTES[kind]);
      return [{ bytes: fetched, ref: other.ref, expected: { name, kind, packages }, namespaces }];
    } catch (thrown) {
      if (other.required)
        throw thrown instanceof LandfallError ? thrown : new LandfallError("BUNDLE_REQUIRED", { name }, thrown);
      omitted(name, thrown);
      return [];
    }
  });
  const fetched = (await Promise.all(beside)).flat();
  return { loaded: await loadApart({ bytes, ref }, fetched, { required, omitted }), bytes };
}
