import { LandfallError } from "../../errors.ts";
import { type BundleRelease, readRelease } from "../../model/bundle-format/bundle-release.ts";
import { formatTime } from "../../model/time.ts";
import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import { checkVersion, type Highest } from "./check-version.ts";
import { takeVerified } from "./take-verified.ts";

interface GateOptions {
  source: BundleSource;
  store: BundleStore;
}

/** The bundle to use for what the registry named, and what the highest version is then. */
export interface Admitted {
  tarball: Tarball;
  highest: Highest | null;
}

export interface ReleaseStatus {
  /** Of the active bundle; null for none. */
  version: number | null;
  /** RFC 3339; null for never. */
  expires: string | null;
  expired: boolean;
  /** The highest version that was used; null for none. */
  highestVersion: number | null;
  /** Whether an earlier bundle than the one with the highest version is active, and no rollback says so. */
  behind: boolean;
}

const NONE: BundleRelease = { version: null, expires: null, rollback: null };

/** The versions of one reference: they only rise, also over restarts, unless a signed rollback names an earlier bundle. */
export class VersionGate {
  readonly #options: GateOptions;
  #highest: Highest | null = null;
  /** Of the last tarball that was asked for: reading it takes time. */
  #last: { digest: string; release: BundleRelease } | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const { store, source } = this.#options;
    this.#highest = await store.readHighest(source.ref);
  }

  /** Of the bundle in use at `nowMs`, since 1970. */
  status(used: Tarball | null, nowMs: number): ReleaseStatus {
    const { version, expires } = used === null ? NONE : this.releaseOf(used);
    return {
      version,
      expires: expires === null ? null : formatTime(expires),
      expired: expires !== null && nowMs >= expires * 1000,
      highestVersion: this.#highest?.version ?? null,
      behind: this.isBehind(used),
    };
  }

  /** Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE. */
  releaseOf({ bytes, digest }: Pick<Tarball, "bytes" | "digest">): BundleRelease {
    if (this.#last?.digest !== digest) this.#last = { digest, release: readRelease(bytes, this.#options.source.ref) };
    return this.#last.release;
  }

  /**
   * Throws BUNDLE_OLDER for a bundle that is older than one before; for a rollback, what `takeVerified` throws. The tarball is verified already.
   */
  async admit(tarball: Tarball): Promise<Admitted> {
    const { ref } = this.#options.source;
    const { digest } = tarball;
    const release = this.releaseOf(tarball);
    checkVersion(ref, digest, release, this.#highest);
    const { version, rollback } = release;
    if (version === null) return { tarball, highest: null };
    if (rollback === null) return { tarball, highest: { version, digest, uses: digest } };
    return { tarball: await this.#earlier(rollback), highest: { version, digest, uses: rollback } };
  }

  async #earlier(rollback: string): Promise<Tarball> {
    const { source } = this.#options;
    const earlier = await takeVerified(source, rollback);
    if (this.releaseOf(earlier).rollback === null) return earlier;
    const detail = "it names another rollback; name the bundle itself";
    throw new LandfallError("BUNDLE_UNREADABLE", { ref: source.ref, detail });
  }

  /** Called when a bundle is in use. Throws errors of the file system; the version counts nevertheless. */
  async raise(highest: Highest | null): Promise<void> {
    if (highest === null || (this.#highest !== null && highest.version < this.#highest.version)) return;
    this.#highest = highest;
    await this.#options.store.keepHighest(this.#options.source.ref, highest);
  }

  /** Whether the registry names what is in use: the bundle itself, or a rollback to it. */
  isCurrent(digest: string, used: Tarball | null): boolean {
    if (used === null) return false;
    return digest === used.digest || (digest === this.#highest?.digest && this.#highest.uses === used.digest);
  }

  /** Whether an earlier bundle than the newest one is in use, and no rollback says so. */
  isBehind(used: Tarball | null): boolean {
    return used !== null && this.#highest !== null && this.#highest.uses !== used.digest;
  }
}
