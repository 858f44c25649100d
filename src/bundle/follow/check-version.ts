import { LandfallError } from "../../errors.ts";
import type { BundleRelease } from "../../model/bundle-format/bundle-release.ts";

/** The bundle with the highest version that a reference has had. */
export interface Highest {
  version: number;
  /** Of its image. */
  digest: string;
  /** The image that is used for it: the same, or the earlier one that it names. */
  uses: string;
}

/**
 * Throws BUNDLE_OLDER for a bundle whose version is not above the highest one so far. Bundles without a version pass as long as
 * none has had one. Pure.
 */
export function checkVersion(ref: string, digest: string, { version }: BundleRelease, highest: Highest | null): void {
  if (highest === null || digest === highest.digest) return;
  if (version !== null && version > highest.version) return;
  throw new LandfallError("BUNDLE_OLDER", { ref, version: version ?? "none", highest: highest.version });
}
