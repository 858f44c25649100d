import { LandfallError } from "../../errors.ts";
import type { BundleStore } from "../bundle-store.ts";
import type { BundleSource, Tarball } from "../open-source.ts";
import type { Rollout } from "../read-settings.ts";
import {
  type BundleSet,
  missingOf,
  type Origin,
  type OtherOptions,
  type Used,
  usedOf,
  withUsed,
} from "./bundle-set.ts";
import { Follower } from "./follow-reference.ts";
import type { FollowEvent } from "./follow-types.ts";

/** One of the bundles that make up a set. */
export interface Member {
  /** Null for the platform's own. */
  name: string | null;
  ref: string;
  follower: Follower;
}

/** A set in which one bundle is new. */
export interface Change {
  set: BundleSet;
  before: BundleSet | null;
  member: Member;
}

export interface FollowBundlesOptions {
  source: BundleSource;
  store: BundleStore;
  rollout: Pick<Rollout, "stale" | "expired"> & {
    /** Null: the registries are asked by `poll` only. */
    poll: Rollout["poll"] | null;
  };
  others: readonly OtherOptions[];
  /** The set in use, or the one that is about to be used again; null for none. The next set is made from it. */
  latest: () => BundleSet | null;
  /** Loads a set and puts it to use. Throws what is wrong with it: the bundle that is new is then put in quarantine. */
  use: (change: Change) => Promise<void>;
  onEvent: (event: FollowEvent, fields: Record<string, unknown>) => void;
  nowMs: () => number;
  /** 0 to 1 */
  random: () => number;
}

/**
 * Follows the platform's bundle and those next to it, each reference separately. Each new bundle makes a new set with the
 * others as they are; sets are used one after the other, and the last good one stays in use.
 */
export class FollowedBundles {
  readonly platform: Member;
  readonly beside: readonly (Member & { setup: OtherOptions })[];
  readonly #options: FollowBundlesOptions;
  /** Resolves when the platform's bundle is used for the first time: nothing is tried in addition to nothing. */
  readonly #first = Promise.withResolvers<null>();
  /** Sets are made one after the other, each from the last. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: FollowBundlesOptions) {
    this.#options = options;
    const { source, store, rollout, others } = options;
    this.platform = this.#member(null, { source, store, ...rollout }, Promise.resolve());
    this.beside = others.map((setup) => {
      const poll = rollout.poll === null ? null : setup.poll;
      return { ...this.#member(setup.name, { ...setup, poll }, this.#first.promise), setup };
    });
  }

  /** The bundles with rules next to the platform's. */
  teams(): readonly Member[] {
    return this.beside.filter(({ setup }) => setup.kind === "policy");
  }

  /** Names of required bundles that are not there. */
  missing(): string[] {
    return missingOf(this.#options.latest(), this.#options.others);
  }

  /**
   * Throws BUNDLE_STALE or BUNDLE_EXPIRED if the settings refuse old bundles: of the platform's, of a data image, and of a required team
   * that `concerns` the request. Optional teams are `tooOld` instead: no team's registry or date denies what others ask.
   */
  checkStale(concerns: (team: OtherOptions) => boolean): void {
    this.platform.follower.checkStale();
    for (const { follower, setup } of this.beside)
      if (setup.kind === "data" || (setup.required && concerns(setup))) follower.checkStale();
  }

  /** Names of the optional teams that must not be asked: their bundles are so old that the settings refuse them. */
  tooOld(): string[] {
    const optional = this.beside.filter(({ setup }) => setup.kind === "policy" && !setup.required);
    return optional.flatMap(({ setup, follower }) => (follower.isRefused() ? [setup.name] : []));
  }

  /** Throws BUNDLE_REQUIRED while a required bundle is missing. */
  checkRequired(): void {
    const [name] = this.missing();
    if (name !== undefined) throw new LandfallError("BUNDLE_REQUIRED", { name });
  }

  /** Asks the registries now; resolves when what they name is in use, or is not used. */
  async poll(): Promise<void> {
    await this.platform.follower.poll();
    if (this.#options.latest() !== null) await Promise.all(this.beside.map(({ follower }) => follower.poll()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map(({ follower }) => follower.stop()));
  }

  /** Runs `work` while no other set is loaded or put to use. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #all(): Member[] {
    return [this.platform, ...this.beside];
  }

  #member(
    name: string | null,
    setup: Pick<OtherOptions, "source" | "store" | "stale"> & { poll: Rollout["poll"] | null },
    after: Promise<unknown>,
  ): Member {
    const { nowMs, random, latest, onEvent } = this.#options;
    const { source, store, poll, stale } = setup;
    const follower: Follower = new Follower({
      ...{ source, store, poll, stale, expired: this.#options.rollout.expired, after, nowMs, random },
      use: (tarball, from) => this.inTurn(() => this.#use(member, tarball, from)),
      used: () => usedOf(latest(), name)?.tarball ?? null,
      onEvent: (event, fields) => {
        onEvent(event, name === null ? fields : { bundle: name, ...fields });
      },
    });
    const member: Member = { name, ref: source.ref, follower };
    return member;
  }

  async #use(member: Member, tarball: Tarball, from: Origin): Promise<void> {
    const used: Used = { tarball, from, at: new Date(this.#options.nowMs()).toISOString() };
    const before = this.#options.latest();
    await this.#options.use({ set: withUsed(before, member.name, used), before, member });
    this.#first.resolve(null);
    for (const other of this.#all()) if (other.name !== member.name) other.follower.reconsider();
  }
}
