import { LandfallError } from "../../errors.ts";
import type { BundleRelease } from "../../model/bundle-format/bundle-release.ts";
import type { Highest } from "../../model/bundle-format/highest-version.ts";

/**
 * Throws BUNDLE_OLDER for a bundle whose version is not above the highest one so far. Bundles without a version pass as long as
 * none has had one. Pure.
 */
export function checkVersion(ref: string, digest: string, { version }: BundleRelease, highest: Highest | null): void {
  if (highest === null || digest === highest.digest) return;
  if (version !== null && version > highest.version) return;
  throw new LandfallError("BUNDLE_OLDER", { ref, version: version ?? "none", highest: highest.version });
}
