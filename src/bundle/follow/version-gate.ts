import { LandfallError } from "../../errors.ts";
import { type BundleRelease, NO_RELEASE, readRelease } from "../../model/bundle-format/bundle-release.ts";
import type { Highest } from "../../model/bundle-format/highest-version.ts";
import { formatTime, HOUR_MS } from "../../model/time.ts";
import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import { takeVerified } from "./take-verified.ts";

/**
 * Throws BUNDLE_OLDER for a bundle whose version is not above the highest one so far. Bundles without a version pass as long as
 * none has had one. Pure.
 */
function checkVersion(ref: string, digest: string, { version }: BundleRelease, highest: Highest | null): void {
  if (highest === null || digest === highest.digest) return;
  if (version !== null && version > highest.version) return;
  throw new LandfallError("BUNDLE_OLDER", { ref, version: version ?? "none", highest: highest.version });
}

interface GateOptions {
  source: BundleSource;
  store: BundleStore;
  /** Ms since 1970. */
  nowMs: () => number;
}

/** Clocks and time zones differ by less. */
const DAY_MS = 24 * HOUR_MS;
/** Releases that are remembered. */
const MOST = 50;

/** The bundle to use for what the registry named, and what the highest version is then. */
interface Admitted {
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

const isOver = (expires: number | null, nowMs: number): boolean => expires !== null && nowMs >= expires * 1000;

/** The versions of one reference: they only rise, also over restarts, unless a signed rollback names an earlier bundle. */
export class VersionGate {
  readonly #options: GateOptions;
  #highest: Highest | null = null;
  /** Of verified tarballs, by digest, oldest first: reading one takes time, and it is not fetched again to be refused. */
  readonly #known = new Map<string, BundleRelease>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Reads the highest version so far: at least that of the stored bundle, because the files of the store can be restored
   * one without the other. Throws as `releaseOf`.
   */
  begin(stored: Tarball | null): void {
    if (stored === null) return;
    const { version } = this.releaseOf(stored);
    if (version === null || version <= (this.#highest?.version ?? -1)) return;
    this.#highest = { version, digest: stored.digest, uses: stored.digest };
  }

  /** Reads what other processes have recorded since. Throws BUNDLE_RECORD while it is not known which version was the highest. */
  async refresh(): Promise<void> {
    const { store, source } = this.#options;
    try {
      const found = await store.readHighest(source.ref);
      if (found !== null && found.version > (this.#highest?.version ?? -1)) this.#highest = found;
    } catch (thrown) {
      if (this.#highest === null) throw thrown;
    }
  }

  /** Of the bundle in use at `nowMs`, since 1970. */
  status(used: Tarball | null, nowMs: number): ReleaseStatus {
    const { version, expires } = used === null ? NO_RELEASE : this.releaseOf(used);
    return {
      version,
      expires: expires === null ? null : formatTime(expires),
      expired: isOver(expires, nowMs),
      highestVersion: this.#highest?.version ?? null,
      behind: this.isBehind(used),
    };
  }

  /** Of a verified tarball. Throws BUNDLE_UNREADABLE, BUNDLE_UNSAFE, BUNDLE_LIMIT. */
  releaseOf({ bytes, digest }: Pick<Tarball, "bytes" | "digest">): BundleRelease {
    const release = this.#known.get(digest) ?? readRelease(bytes, this.#options.source.ref);
    this.#known.delete(digest);
    this.#known.set(digest, release);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return release;
  }

  /** Throws as `admit` for a bundle that was fetched before, by its digest alone. */
  checkKnown(digest: string): void {
    const release = this.#known.get(digest);
    if (release !== undefined) this.#check(digest, release);
  }

  /** BUNDLE_EXPIRED if the bundle in use has expired; null if it has not. */
  expiryOf(used: Tarball | null): LandfallError | null {
    return used === null ? null : this.#expired(this.releaseOf(used));
  }

  /** The bundle in use decides on when it expires, but an expired one never becomes active. */
  #check(digest: string, release: BundleRelease): void {
    checkVersion(this.#options.source.ref, digest, release, this.#highest);
    this.#checkExpiry(release);
    this.#checkDate(release);
  }

  /** Data of the future would never be too old. */
  #checkDate({ date }: BundleRelease): void {
    const { source, nowMs } = this.#options;
    if (date === null || date * 1000 - nowMs() <= DAY_MS) return;
    throw new LandfallError("BUNDLE_DATA_AHEAD", { ref: source.ref, date: formatTime(date) });
  }

  #checkExpiry(release: BundleRelease): void {
    const error = this.#expired(release);
    if (error !== null) throw error;
  }

  #expired({ expires }: BundleRelease): LandfallError | null {
    const { source, nowMs } = this.#options;
    if (expires === null || !isOver(expires, nowMs())) return null;
    return new LandfallError("BUNDLE_EXPIRED", { name: source.ref, time: formatTime(expires) });
  }

  /**
   * Throws BUNDLE_OLDER for a bundle that is older than one before, BUNDLE_EXPIRED and BUNDLE_DATA_AHEAD; for a rollback, what `takeVerified`
   * throws. The tarball is verified already.
   */
  async admit(tarball: Tarball): Promise<Admitted> {
    const { digest } = tarball;
    const release = this.releaseOf(tarball);
    this.#check(digest, release);
    const { version, rollback } = release;
    if (version === null) return { tarball, highest: null };
    if (rollback === null) return { tarball, highest: { version, digest, uses: digest } };
    return { tarball: await this.#earlier(rollback), highest: { version, digest, uses: rollback } };
  }

  async #earlier(rollback: string): Promise<Tarball> {
    const { source } = this.#options;
    const earlier = await takeVerified(source, rollback);
    const release = this.releaseOf(earlier);
    this.#checkExpiry(release);
    this.#checkDate(release);
    if (release.rollback === null) return earlier;
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
