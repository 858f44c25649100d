import { openSource } from "../../bundle/open-source.ts";
import { type BundleSettings, defaultSettings, readSettings } from "../../bundle/read-settings.ts";
import type { RegistryOptions } from "../../bundle/registry/registry-options.ts";
import type { Trust } from "../../bundle/signature/trust.ts";
import { LandfallError } from "../../errors.ts";
import { type LoadedBundles, loadBundles, type OtherTarball } from "../../policy/load-bundles.ts";
import { limitTime } from "../../policy/module/limit-time.ts";

export interface OpenOptions {
  /** Of the platform's bundle: an OCI reference or a file. */
  ref: string;
  /** The file with the trusted signers; without it, signatures are required unless `unsigned`. */
  settings: string | undefined;
  unsigned: boolean;
  registry: RegistryOptions;
  /** Gets why an optional bundle is not used. */
  omitted: (name: string, thrown: unknown) => void;
}

/** The bytes of a bundle whose signature is verified. Throws BUNDLE_…. */
async function fetchTrusted(ref: string, registry: RegistryOptions, trust: Trust): Promise<Uint8Array> {
  const source = await openSource(ref, registry, trust);
  try {
    const tarball = await source.fetch(await source.digest());
    source.verify(tarball);
    return tarball.bytes;
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
  const beside = others.map(async (other): Promise<OtherTarball[]> => {
    const { name, kind, packages, namespaces } = other;
    try {
      const fetched = await fetchTrusted(other.ref, registry, other.trust);
      return [{ bytes: fetched, ref: other.ref, expected: { name, kind, packages }, namespaces }];
    } catch (thrown) {
      if (other.required)
        throw thrown instanceof LandfallError ? thrown : new LandfallError("BUNDLE_REQUIRED", { name }, thrown);
      omitted(name, thrown);
      return [];
    }
  });
  const loaded = await loadBundles({ bytes, ref }, (await Promise.all(beside)).flat(), { run: limitTime() });
  return { loaded, bytes };
}
