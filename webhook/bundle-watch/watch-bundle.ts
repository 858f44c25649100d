import type { BundleStore } from "../../src/bundle/bundle-store.ts";
import type { BundleSource, Tarball } from "../../src/bundle/open-source.ts";
import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError, messageOf } from "../../src/errors.ts";
import type { BundleIdentity, ToldEvent } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import type { Canaries } from "./ask-canaries.ts";
import { type Active, type BundleStatus, describeActive, type Fact, type Origin } from "./bundle-status.ts";
import { type PollOutcome, type Poller, startPolling } from "./poll.ts";
import { openQuarantine } from "./quarantine.ts";
import { createThreads, type Threads } from "./threads.ts";
import { tryBundle } from "./try-bundle.ts";

export interface WatchOptions {
  source: BundleSource;
  store: BundleStore;
  rollout: Rollout;
  start: (tarball: Tarball, ref: string) => DecisionThread;
  canaries: Canaries;
  /** Hears of each bundle that begins to decide. */
  onActive: (bundle: BundleIdentity) => void;
  onEvent: (event: BundleEvent, fields: Record<string, unknown>) => void;
  /** Ms since 1970. */
  now: () => number;
  /** 0 to 1 */
  random: () => number;
}

export type BundleEvent =
  | "bundle active"
  | "bundle not used"
  | "bundle not kept on disk"
  | "registry out of reach"
  | "the thread that decides ended and is started again";

const HOUR_MS = 3_600_000;
/** How often the time of the last contact is written to disk. */
const NOTE_MS = 300_000;
/** A bundle whose thread ends that often within a minute is not used any longer, if there is another. */
const CRASHES = 3;

const asError = (thrown: unknown): LandfallError =>
  thrown instanceof LandfallError ? thrown : new LandfallError("ADM_INTERNAL", { detail: messageOf(thrown) }, thrown);

/**
 * Keeps the webhook at what the reference names: polls by digest, verifies, loads beside the active bundle, tries, swaps
 * between two requests. A bundle that fails anywhere on the way is put in quarantine and the active one goes on. Begins with
 * the last good bundle on disk.
 */
export class BundleWatch {
  readonly #options: WatchOptions;
  readonly #threads: Threads;
  readonly #quarantine = openQuarantine();
  readonly #poller: Poller;
  #active: Active | null = null;
  /** What decided before, to go back to. */
  #previous: Tarball | null = null;
  #reviving: Promise<void> | null = null;
  #crashes: number[] = [];
  #attempted: Fact | null = null;
  #loaded: Fact | null = null;
  #lastError: string | null = null;
  #contactedAt = 0;
  #notedAt = 0;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#threads = createThreads(options.start, (thread, error) => {
      if (this.#active?.thread === thread) this.#reviving = this.#revive(this.#active, error);
    });
    const begun = this.#begin();
    this.#poller = startPolling({ ...options.rollout.poll, random: options.random }, async () => {
      await begun;
      return this.#poll();
    });
  }

  /** The thread that decides now; null before the first bundle. Throws BUNDLE_STALE where the settings refuse old ones. */
  async thread(): Promise<DecisionThread | null> {
    // A moment without a thread is waited out: it starts again with the same bundle.
    if (this.#active === null) await this.#reviving;
    if (this.#options.rollout.stale.action === "refuse" && this.#isStale())
      throw new LandfallError("BUNDLE_STALE", { hours: Math.floor(this.#age() / HOUR_MS) });
    return this.#active?.thread ?? null;
  }

  status(): BundleStatus {
    return {
      attempted: this.#attempted,
      loaded: this.#loaded,
      active: this.#active === null ? null : describeActive(this.#active),
      quarantined: this.#quarantine.list(),
      contactedAt: this.#contactedAt === 0 ? null : new Date(this.#contactedAt).toISOString(),
      stale: this.#isStale(),
      lastError: this.#lastError,
    };
  }

  /** Asks the registry now; resolves when what it names is active, or is not used. */
  poll(): Promise<void> {
    return this.#poller.now();
  }

  tell(event: ToldEvent, from?: DecisionThread): void {
    this.#threads.tell(event, from);
  }

  async stop(): Promise<void> {
    this.#poller.stop();
    await this.#threads.stop();
    await this.#options.source.close();
  }

  /** Ms since the registry was heard of. A contact that a clock noted in the future counts from when that is seen. */
  #age(): number {
    if (this.#contactedAt === 0) return 0;
    const now = this.#options.now();
    this.#contactedAt = Math.min(this.#contactedAt, now);
    return now - this.#contactedAt;
  }

  #isStale(): boolean {
    return this.#age() > this.#options.rollout.stale.hours * HOUR_MS;
  }

  #time(): string {
    return new Date(this.#options.now()).toISOString();
  }

  async #begin(): Promise<void> {
    const last = await this.#options.store.read(this.#options.source.ref);
    if (last === null) return;
    this.#contactedAt = last.contactedAt;
    await this.#replaceBy(last, "disk").catch((thrown: unknown) => {
      this.#refuse(last.digest, thrown);
    });
  }

  async #poll(): Promise<PollOutcome> {
    let digest: string;
    try {
      digest = await this.#options.source.digest();
    } catch (thrown) {
      return this.#unreached(asError(thrown));
    }
    this.#contactedAt = this.#options.now();
    const held = this.#quarantine.list().find((entry) => entry.digest === digest);
    if (digest === this.#active?.tarball.digest) this.#lastError = null;
    else if (held !== undefined && this.#quarantine.holds(digest)) this.#lastError = held.reason;
    else await this.#take(digest);
    await this.#note();
    return { ok: true };
  }

  #unreached(error: LandfallError): PollOutcome {
    const { code, params, line } = error;
    if (this.#lastError !== line) this.#options.onEvent("registry out of reach", { code, detail: line });
    this.#lastError = line;
    return code === "BUNDLE_REGISTRY_BUSY" ? { ok: false, busy: Number(params["seconds"]) } : { ok: false };
  }

  async #take(digest: string): Promise<void> {
    this.#attempted = { digest, at: this.#time() };
    try {
      await this.#replaceBy(await this.#options.source.fetch(digest), "registry");
      this.#lastError = null;
      this.#notedAt = 0;
    } catch (thrown) {
      this.#refuse(digest, thrown);
    }
  }

  /** Loads and tries a bundle beside the active one, then swaps. Throws what is wrong with it. */
  async #replaceBy(tarball: Tarball, from: Origin): Promise<void> {
    const { source, rollout, canaries, onEvent } = this.#options;
    const thread = this.#threads.open(tarball, source.ref);
    try {
      const { limits, canary } = rollout;
      const active = this.#active?.thread ?? null;
      const bundle = await tryBundle({ thread, active, ref: source.ref, limits, canary, canaries });
      this.#loaded = { digest: tarball.digest, at: this.#time() };
      const before = this.#active;
      this.#active = { thread, tarball, bundle, from, at: this.#time() };
      this.#quarantine.release(tarball.digest);
      const { digest } = tarball;
      this.#options.onActive(bundle);
      onEvent("bundle active", { digest, revision: bundle.revision, from, before: before?.tarball.digest ?? null });
      if (before === null) return;
      this.#previous = before.tarball;
      // What is underway ends on the old one.
      void this.#threads.retire(before.thread);
    } catch (thrown) {
      void this.#threads.retire(thread);
      throw thrown;
    }
  }

  #refuse(digest: string, thrown: unknown): void {
    const { onEvent, now } = this.#options;
    const error = asError(thrown);
    // The same reason at every poll is said once.
    const said = this.#lastError === error.line && this.#quarantine.list().some((entry) => entry.digest === digest);
    this.#lastError = error.line;
    this.#quarantine.put(digest, error, new Date(now()));
    if (!said) onEvent("bundle not used", { digest, code: error.code, detail: error.line });
  }

  /** The active thread ended by itself: the same bundle starts again, or the one before where this one keeps ending. */
  async #revive({ tarball, from }: Active, error: LandfallError): Promise<void> {
    const { onEvent, now, source } = this.#options;
    this.#active = null;
    onEvent("the thread that decides ended and is started again", { detail: error.line });
    this.#crashes = [...this.#crashes.filter((at) => now() - at < 60_000), now()];
    const worn = this.#crashes.length >= CRASHES ? this.#previous : null;
    if (worn !== null) {
      this.#crashes = [];
      const params = { ref: source.ref, limit: "any", detail: error.line };
      this.#refuse(tarball.digest, new LandfallError("BUNDLE_LOOPS", params, error));
    }
    await this.#replaceBy(worn ?? tarball, worn === null ? from : "disk").catch((thrown: unknown) => {
      this.#refuse(tarball.digest, thrown);
    });
  }

  /** Keeps the active bundle on disk, with the time of the last contact. */
  async #note(): Promise<void> {
    const { store, source, onEvent } = this.#options;
    if (this.#active === null || Math.abs(this.#contactedAt - this.#notedAt) < NOTE_MS) return;
    this.#notedAt = this.#contactedAt;
    await store.keep(source.ref, this.#active.tarball, this.#contactedAt).catch((thrown: unknown) => {
      // It is used all the same: only a restart without the registry would miss it.
      onEvent("bundle not kept on disk", { detail: messageOf(thrown) });
    });
  }
}
