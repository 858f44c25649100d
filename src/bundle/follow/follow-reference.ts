import type { Tarball } from "../open-source.ts";
import { asLandfallError, LandfallError, messageOf } from "../../errors.ts";
import { HOUR_MS } from "../../model/time.ts";
import type { Origin } from "./bundle-set.ts";
import { type PollOutcome, type Poller, startPolling } from "./poll.ts";
import { openQuarantine } from "./quarantine.ts";
import { takeVerified, UNTRUSTED, Unverified } from "./take-verified.ts";
import type { Fact, FollowOptions, FollowStatus } from "./follow-types.ts";
import { VersionGate } from "./version-gate.ts";

/** How often the time of the last contact is written to disk. */
const NOTE_MS = 300_000;

/** A poll that failed: it is repeated soon, and less and less often. */
const failed = ({ code, params }: LandfallError): PollOutcome =>
  code === "BUNDLE_REGISTRY_BUSY" ? { ok: false, busy: Number(params["seconds"]) } : { ok: false };

/**
 * Follows one reference: polls by digest, verifies, and activates new bundles. Bundles that fail are quarantined.
 * Begins with the last good tarball from disk.
 */
export class Follower {
  readonly #options: FollowOptions;
  readonly #quarantine = openQuarantine();
  readonly #gate: VersionGate;
  readonly #poller: Poller;
  #attempted: Fact | null = null;
  #loaded: Fact | null = null;
  #lastError: string | null = null;
  /** The last digest whose signature was valid. */
  #verified: string | null = null;
  #contactedAt = 0;
  #notedAt = 0;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#gate = new VersionGate(options);
    const begun = options.after.then(() => this.#begin());
    this.#poller = startPolling(options.poll && { ...options.poll, random: options.random }, async () => {
      await begun;
      return this.#poll();
    });
  }

  status(): FollowStatus {
    return {
      ...this.#gate.status(this.#options.used(), this.#options.nowMs()),
      attempted: this.#attempted,
      loaded: this.#loaded,
      quarantined: this.#quarantine.list(),
      contactedAt: this.#contactedAt === 0 ? null : new Date(this.#contactedAt).toISOString(),
      stale: this.#isStale(),
      lastError: this.#lastError,
    };
  }

  /** Throws BUNDLE_STALE or BUNDLE_EXPIRED if the settings deny requests at this age. */
  checkStale(): void {
    const error = this.#refusal();
    if (error !== null) throw error;
  }

  /** Whether the settings refuse a bundle of this age. */
  isRefused(): boolean {
    return this.#refusal() !== null;
  }

  /** Asked for every request. */
  #refusal(): LandfallError | null {
    const { used, expired, stale } = this.#options;
    const over = expired.action === "refuse" ? this.#gate.expiryOf(used()) : null;
    if (over !== null || stale.action !== "refuse" || !this.#isStale()) return over;
    return new LandfallError("BUNDLE_STALE", { hours: Math.floor(this.#age() / HOUR_MS) });
  }

  /** Asks the registry now; resolves when the result is active or rejected. */
  poll(): Promise<void> {
    return this.#poller.now();
  }

  /** Another bundle has changed: a bundle that was incompatible with it is tried again. */
  reconsider(): void {
    this.#quarantine.reconsider();
  }

  /** Puts a tarball in quarantine. */
  refuse(digest: string, thrown: unknown): void {
    const { onEvent, nowMs } = this.#options;
    const error = asLandfallError(thrown);
    // An unchanged reason is reported only once.
    const said = this.#lastError === error.line && this.#quarantine.list().some((entry) => entry.digest === digest);
    this.#lastError = error.line;
    this.#quarantine.put(digest, error, new Date(nowMs()));
    if (!said) onEvent("bundle not used", { digest, code: error.code, detail: error.line });
  }

  /** Stores the active tarball, so that a restart does not begin with a rejected one. */
  async keepUsed(): Promise<void> {
    this.#notedAt = 0;
    await this.#note();
  }

  async stop(): Promise<void> {
    this.#poller.stop();
    await this.#options.source.close();
  }

  /** Ms since the last contact. A recorded contact in the future counts from now on. */
  #age(): number {
    if (this.#contactedAt === 0) return 0;
    const nowMs = this.#options.nowMs();
    this.#contactedAt = Math.min(this.#contactedAt, nowMs);
    return nowMs - this.#contactedAt;
  }

  #isStale(): boolean {
    return this.#age() > this.#options.stale.hours * HOUR_MS;
  }

  #time(): string {
    return new Date(this.#options.nowMs()).toISOString();
  }

  async #begin(): Promise<void> {
    const { store, source } = this.#options;
    const last = await store.read(source.ref);
    // Each poll asks again, before anything else is used.
    await this.#gate.refresh().catch(() => undefined);
    if (last === null) return;
    try {
      this.#gate.begin(last);
      if (!source.trusts(last)) {
        this.#distrust(last);
        return;
      }
      this.#contactedAt = last.contactedAt;
      await this.#use(last, "disk");
    } catch (thrown) {
      this.refuse(last.digest, thrown);
    }
  }

  /** Not quarantined: the registry may have another signature for the same digest. */
  #distrust({ digest, signers }: Tarball): void {
    const detail = `the bundle on disk was signed by ${signers.join(", ")}, who is no longer trusted`;
    const { code, line } = new LandfallError("BUNDLE_SIGNATURE", { ref: this.#options.source.ref, detail });
    this.#lastError = line;
    this.#options.onEvent("bundle not used", { digest, code, detail: line });
  }

  /** Uses what the registry named, or the earlier bundle that it names. Throws BUNDLE_…. */
  async #admit(fetched: Tarball): Promise<void> {
    const { onEvent } = this.#options;
    const { tarball, highest } = await this.#gate.admit(fetched);
    const { digest } = tarball;
    if (this.#quarantine.holds(digest)) throw new LandfallError("BUNDLE_QUARANTINED", { ref: digest });
    await this.#use(tarball, "registry");
    await this.#gate.raise(highest).catch((thrown: unknown) => {
      onEvent("bundle not kept on disk", { detail: messageOf(thrown) });
    });
    const { version, expires, channel } = this.#gate.releaseOf(tarball);
    if (version === null || expires === null) onEvent("bundle without version or expiry", { digest, version, expires });
    if (channel === null && this.#options.source.channel !== undefined) onEvent("bundle without channel", { digest });
  }

  async #use(tarball: Tarball, from: Origin): Promise<void> {
    await this.#options.use(tarball, from);
    this.#loaded = { digest: tarball.digest, at: this.#time() };
    this.#quarantine.release(tarball.digest);
  }

  async #poll(): Promise<PollOutcome> {
    let digest: string;
    try {
      await this.#gate.refresh();
      digest = await this.#options.source.digest();
    } catch (thrown) {
      return this.#unreached(asLandfallError(thrown));
    }
    const held = this.#quarantine.list().find((entry) => entry.digest === digest);
    let outcome: PollOutcome = { ok: true };
    if (this.#gate.isCurrent(digest, this.#options.used())) {
      this.#lastError = null;
      // A bundle that is active for want of the newest one does not change what the registry has.
      this.#verified = this.#gate.isBehind(this.#options.used()) ? null : digest;
    } else if (held !== undefined && this.#quarantine.holds(digest)) this.#lastError = held.reason;
    else outcome = await this.#take(digest);
    if (this.#verified === digest) this.#contactedAt = this.#options.nowMs();
    await this.#note();
    return outcome;
  }

  #unreached(error: LandfallError): PollOutcome {
    const { code, line } = error;
    const event = code === "BUNDLE_RECORD" ? "highest version unknown" : "registry unavailable";
    if (this.#lastError !== line) this.#options.onEvent(event, { code, detail: line });
    this.#lastError = line;
    return failed(error);
  }

  async #take(digest: string): Promise<PollOutcome> {
    this.#attempted = { digest, at: this.#time() };
    try {
      this.#gate.checkKnown(digest);
      await this.#admit(await takeVerified(this.#options.source, digest));
      this.#verified = digest;
      this.#lastError = null;
      this.#notedAt = 0;
    } catch (thrown) {
      this.refuse(digest, thrown);
      if (thrown instanceof Unverified) return failed(thrown);
      if (!UNTRUSTED.has(asLandfallError(thrown).code)) this.#verified = digest;
    }
    return { ok: true };
  }

  /** Stores the active tarball, with the time of the last contact. */
  async #note(): Promise<void> {
    const { store, source, onEvent, used } = this.#options;
    const tarball = used();
    if (tarball === null || Math.abs(this.#contactedAt - this.#notedAt) < NOTE_MS) return;
    this.#notedAt = this.#contactedAt;
    await store.keep(source.ref, tarball, this.#contactedAt).catch((thrown: unknown) => {
      // It is active nevertheless: only a restart without the registry needs the stored one.
      onEvent("bundle not kept on disk", { detail: messageOf(thrown) });
    });
  }
}
