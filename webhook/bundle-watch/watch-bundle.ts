import type { BundleStore } from "../../src/bundle/bundle-store.ts";
import type { BundleSource } from "../../src/bundle/open-source.ts";
import type { Rollout } from "../../src/bundle/read-settings.ts";
import { LandfallError } from "../../src/errors.ts";
import type { BundleIdentity, ToldEvent } from "../decisions/messages.ts";
import type { DecisionThread } from "../decisions/start-thread.ts";
import type { Canaries } from "./ask-canaries.ts";
import { besideOf, type BundleSet, type OtherOptions, usedOf, withUsed } from "../../src/bundle/follow/bundle-set.ts";
import { type Active, type BundleEvent, type BundleStatus, describeActive, describeOther } from "./bundle-status.ts";
import { type Change, FollowedBundles, type Member } from "../../src/bundle/follow/follow-bundles.ts";
import { createThreads, type StartThread, type Threads } from "./threads.ts";
import { tryBundle } from "./try-bundle.ts";

export type { BundleEvent } from "./bundle-status.ts";

export interface WatchOptions {
  source: BundleSource;
  store: BundleStore;
  rollout: Rollout;
  others?: readonly OtherOptions[];
  start: StartThread;
  canaries: Canaries;
  /** Called for each bundle that becomes active. */
  onActive: (bundle: BundleIdentity) => void;
  onEvent: (event: BundleEvent, fields: Record<string, unknown>) => void;
  /** Ms since 1970. */
  nowMs: () => number;
  /** 0 to 1 */
  random: () => number;
}

/** A set whose thread ends this often within a minute is replaced by the one before, if there is one. */
const CRASHES = 3;

/**
 * Keeps the webhook's bundles up to date. Each reference is followed independently. A new bundle loads beside the active
 * set, is tried, and replaces it between two requests. A bundle that fails is put in quarantine, and the active set stays.
 */
export class BundleWatch {
  readonly #options: WatchOptions;
  readonly #others: readonly OtherOptions[];
  readonly #threads: Threads;
  readonly #followed: FollowedBundles;
  #active: Active | null = null;
  /** The active set, also while its thread restarts. */
  #set: BundleSet | null = null;
  /** The set before, to roll back to, and the bundle that differs. */
  #previous: { set: BundleSet; changed: Member } | null = null;
  #reviving: Promise<void> | null = null;
  #crashes: number[] = [];

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#others = options.others ?? [];
    this.#threads = createThreads(options.start, (thread, error) => {
      if (this.#active?.thread === thread) this.#reviving = this.#revive(error);
    });
    const { source, store, rollout, onEvent, nowMs, random } = options;
    this.#followed = new FollowedBundles({
      ...{ source, store, rollout, others: this.#others, onEvent, nowMs, random },
      active: () => this.#active?.set ?? null,
      latest: () => this.#set,
      use: (change) => this.#use(change),
    });
  }

  /**
   * The active thread; null before the first bundle. Throws BUNDLE_STALE if the settings refuse old bundles, and
   * BUNDLE_REQUIRED while a required bundle is missing.
   */
  async thread(): Promise<DecisionThread | null> {
    // Requests wait while the thread restarts.
    if (this.#active === null) await this.#reviving;
    this.#followed.checkStale();
    if (this.#active === null) return null;
    this.#followed.checkRequired();
    return this.#active.thread;
  }

  status(): BundleStatus {
    const nowSeconds = Math.floor(this.#options.nowMs() / 1000);
    const others = this.#followed.beside.map(({ setup, ref, follower }) => {
      const { name, kind, required } = setup;
      return [
        name,
        { kind, ref, required, ...follower.status(), active: describeOther(this.#active, name, nowSeconds) },
      ] as const;
    });
    return {
      ...this.#followed.platform.follower.status(),
      active: this.#active === null ? null : describeActive(this.#active),
      others: Object.fromEntries(others),
      missing: this.#followed.missing(),
    };
  }

  /** Polls the registries now; resolves when what they name is active, or is rejected. */
  poll(): Promise<void> {
    return this.#followed.poll();
  }

  tell(event: ToldEvent, from?: DecisionThread): void {
    this.#threads.tell(event, from);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#followed.stop(), this.#threads.stop()]);
  }

  /** Activates a set in which one bundle is new. Throws if it must not be used. */
  async #use({ set, before, member }: Change): Promise<void> {
    const active = await this.#load(set, member.ref);
    if (before !== null && this.#active !== null) this.#previous = { set: before, changed: member };
    this.#activate(active);
    this.#tellOf(member, active, before);
  }

  #tellOf(member: Member, { set, bundle }: Active, before: BundleSet | null): void {
    const used = usedOf(set, member.name);
    if (used === null) return;
    const { name } = member;
    const described = name === null ? bundle : bundle.others.find((other) => other.name === name);
    const change = { from: used.from, before: usedOf(before, name)?.tarball.digest ?? null };
    const told = { digest: used.tarball.digest, revision: described?.revision, ...change };
    this.#options.onEvent("bundle active", name === null ? told : { bundle: name, ...told });
  }

  /** Loads and tries a set beside the active one. Throws if it must not be used. */
  async #load(set: BundleSet, ref: string): Promise<Active> {
    const { source, rollout, canaries } = this.#options;
    const thread = this.#threads.open(set.platform.tarball, source.ref, besideOf(set, this.#others));
    try {
      const { limits, canary } = rollout;
      const active = this.#active?.thread ?? null;
      const bundle = await tryBundle({ thread, active, ref, limits, canary, canaries });
      return { thread, set, bundle };
    } catch (thrown) {
      void this.#threads.retire(thread);
      throw thrown;
    }
  }

  #activate(active: Active): void {
    const before = this.#active;
    this.#active = active;
    this.#set = active.set;
    this.#options.onActive(active.bundle);
    // Requests in flight are answered by the old thread.
    if (before !== null) void this.#threads.retire(before.thread);
  }

  /** Another set may have become active in the meantime. */
  #activateUnlessAny(active: Active): void {
    if (this.#active === null) this.#activate(active);
    else void this.#threads.retire(active.thread);
  }

  /** The set to restart after its thread ended: the same, or the one before if it keeps ending. */
  #afterCrash(set: BundleSet, error: LandfallError): BundleSet {
    const { nowMs } = this.#options;
    this.#crashes = [...this.#crashes.filter((at) => nowMs() - at < 60_000), nowMs()];
    if (this.#crashes.length < CRASHES || this.#previous === null) return set;
    this.#crashes = [];
    const { set: before, changed } = this.#previous;
    const worn = usedOf(set, changed.name);
    const params = { ref: changed.ref, limit: "any", detail: error.line };
    if (worn !== null) changed.follower.refuse(worn.tarball.digest, new LandfallError("BUNDLE_LOOPS", params, error));
    const old = usedOf(before, changed.name);
    return old === null ? before : withUsed(before, changed.name, { ...old, from: "disk" });
  }

  /** The active thread ended by itself. */
  async #revive(error: LandfallError): Promise<void> {
    const set = this.#set;
    this.#active = null;
    this.#options.onEvent("decision thread ended and is restarted", { detail: error.line });
    if (set === null) return;
    const next = this.#afterCrash(set, error);
    try {
      const active = await this.#load(next, this.#followed.platform.ref);
      this.#activateUnlessAny(active);
    } catch (thrown) {
      this.#followed.platform.follower.refuse(set.platform.tarball.digest, thrown);
    }
  }
}
