import { asLandfallError, CodedError, type ErrorCode } from "../../errors.ts";
import type { BundleSource, Tarball } from "../open-source.ts";

/**
 * A bundle that fails with one of these is not known to be from whom we trust. Anybody who can answer for the registry
 * can serve such bundles, and earlier ones, so they do not prove that the active one is the newest.
 */
export const UNTRUSTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BUNDLE_UNSIGNED",
  "BUNDLE_SIGNATURE",
  "BUNDLE_TAMPERED",
  "BUNDLE_OLDER",
  "BUNDLE_CHANNEL",
  "BUNDLE_EXPIRED",
]);

/**
 * An error before the content of a bundle was verified. It is about an answer that anybody between the registry and here
 * can give, not about the bundle: the same digest can be good at the next poll.
 */
export class Unverified extends CodedError {
  constructor(thrown: unknown) {
    const { code, params } = asLandfallError(thrown);
    super(code, params, thrown);
  }
}

/**
 * Fetches a bundle and verifies it. Throws Unverified with what `fetch` throws, and with what `verify` throws of an image without a valid
 * signature. The content of a signed image is what its signer meant: that throws as `verify`, because the same digest fails again.
 */
export async function takeVerified(source: BundleSource, digest: string): Promise<Tarball> {
  const tarball = await source.fetch(digest).catch((thrown: unknown) => {
    throw new Unverified(thrown);
  });
  try {
    source.verify(tarball);
  } catch (thrown) {
    throw tarball.signed ? asLandfallError(thrown) : new Unverified(thrown);
  }
  return tarball;
}
