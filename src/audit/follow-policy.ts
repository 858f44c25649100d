import type { BundleStore } from "../bundle/bundle-store.ts";
import { type BundleSet, besideOf, type OtherOptions, usedOf, withoutUsed } from "../bundle/follow/bundle-set.ts";
import { type Change, FollowedBundles, type Member } from "../bundle/follow/follow-bundles.ts";
import type { FollowEvent } from "../bundle/follow/follow-types.ts";
import { NO_STORE, openOthers } from "../bundle/follow/open-others.ts";
import type { TeamStrikes } from "../bundle/follow/team-strikes.ts";
import { TeamTimes } from "../bundle/follow/team-times.ts";
import { type BundleSource, openSource } from "../bundle/open-source.ts";
import type { BundleSettings } from "../bundle/read-settings.ts";
import type { RegistryOptions } from "../bundle/registry/registry-options.ts";
import { asLandfallError, LandfallError } from "../errors.ts";
import type { Workload } from "../model/workload.ts";
import { namespaceOwner } from "../external-data/namespace-owner.ts";
import { failedTeam } from "../policy/process/failed-team.ts";
import type { Finding } from "./finding.ts";
import type { ScanBundles, ScanData } from "./process/messages.ts";
import { openScanner, type Scanner, type ScannerOptions } from "./process/open-scanner.ts";
import { type GivenUp, scanApart } from "./scan-apart.ts";
import type { ScanPolicy } from "./start-scans.ts";

export interface FollowPolicyOptions {
  /** Of the platform's bundle: an OCI reference or a file. */
  ref: string;
  settings: BundleSettings;
  registry: RegistryOptions;
  strikes: TeamStrikes;
  /** The store of a bundle, of which `null` is the platform's; none if omitted. */
  storeOf?: (name: string | null) => BundleStore;
  limits?: ScannerOptions["limits"];
  onEvent: (event: FollowEvent, fields: Record<string, unknown>) => void;
}

/** A set that loaded, and what is known of it. */
interface Active extends Pick<Scanner, "digest" | "zones" | "settingNames"> {
  set: BundleSet;
}

const loops = (ref: string, detail: string, cause?: unknown): LandfallError =>
  new LandfallError("BUNDLE_LOOPS", { ref, limit: "any", detail }, cause);

/** Bundles that run only in processes which end with a trial or a scan. */
export class FollowedPolicy {
  readonly #options: FollowPolicyOptions;
  readonly #others: readonly OtherOptions[];
  readonly #followed: FollowedBundles;
  readonly #process: Pick<ScannerOptions, "env" | "limits">;
  readonly #times = new TeamTimes();
  /** Teams that scans do without, also if they are required. */
  readonly #givenUp = new Set<string>();
  #active: Active | null = null;

  constructor(options: FollowPolicyOptions, source: BundleSource, others: readonly OtherOptions[]) {
    const { settings, registry, storeOf = () => NO_STORE, limits, onEvent } = options;
    this.#options = options;
    this.#others = others;
    this.#process = { env: registry.env, ...(limits === undefined ? {} : { limits }) };
    this.#followed = new FollowedBundles({
      ...{ source, store: storeOf(null), others, onEvent, nowMs: Date.now, random: Math.random },
      // A scan polls on demand: nothing is polled between two scans.
      rollout: { poll: null, stale: settings.rollout.stale, expired: settings.rollout.expired },
      latest: () => this.#active?.set ?? null,
      use: (change) => this.#use(change),
    });
  }

  /**
   * Asks the registries; returns the combined bundle. A bundle that cannot be fetched, verified or loaded is reported
   * to `onEvent`, and the last good one is used. Throws BUNDLE_NONE, BUNDLE_REQUIRED if there is none.
   */
  async current(): Promise<ScanPolicy> {
    await this.#followed.poll();
    const active = this.#active;
    if (active === null) throw new LandfallError("BUNDLE_NONE");
    const name = this.#followed.missing().find((missing) => !this.#givenUp.has(missing));
    if (name !== undefined) throw new LandfallError("BUNDLE_REQUIRED", { name });
    const { digest, zones, settingNames } = active;
    return { digest, zones, settingNames, audit: (objects, data) => this.#audit(active, objects, data) };
  }

  stop(): Promise<void> {
    return this.#followed.stop();
  }

  /** Tries a set with a new bundle. Throws BUNDLE_…. */
  async #use({ set, member }: Change): Promise<void> {
    const { name, ref } = member;
    const digest = usedOf(set, name)?.tarball.digest ?? "";
    if (name !== null && this.#options.strikes.isGivenUp(digest, Date.now())) {
      this.#givenUp.add(name);
      throw loops(ref, "it was given up before");
    }
    this.#active = await this.#tryTeams(set, member);
    if (name !== null) this.#givenUp.delete(name);
  }

  /** Loads a set, without the teams that fail in it: none vetoes what others change. Throws BUNDLE_…. */
  async #tryTeams(set: BundleSet, member: Member): Promise<Active> {
    try {
      return await this.#load(set);
    } catch (thrown) {
      const team = failedTeam(thrown);
      if (team === null) throw thrown;
      const error = asLandfallError(thrown);
      if (team === member.name) throw loops(member.ref, error.line, error);
      return this.#tryTeams(this.#without(set, { team, error }), member);
    }
  }

  /** Loads a set in a process of its own. Throws BUNDLE_…, POL_…. */
  async #load(set: BundleSet): Promise<Active> {
    const scanner = await openScanner(this.#bundlesOf(set), this.#process);
    scanner.stop();
    const { digest, zones, settingNames } = scanner;
    return { digest, zones, settingNames, set };
  }

  /** The set without a team whose rules fail: it is not used until there is another version. */
  #without(set: BundleSet, { team, error }: GivenUp): BundleSet {
    const member = this.#followed.beside.find(({ name }) => name === team);
    const digest = usedOf(set, team)?.tarball.digest;
    this.#givenUp.add(team);
    if (member !== undefined && digest !== undefined)
      member.follower.refuse(digest, loops(member.ref, error.line, error));
    return withoutUsed(set, team);
  }

  #audit({ set }: Active, objects: readonly Workload[], data: ScanData): Promise<Finding[]> {
    const named = new Map(
      data.events.flatMap((one) => (one.type === "namespace" ? [[one.name, one.data] as const] : [])),
    );
    const { owner } = this.#options.settings.rollout.canary;
    return scanApart(objects, {
      ownerOf: namespaceOwner(owner, (name) => named.get(name) ?? { name, labels: {}, annotations: {} }),
      ...{ bundles: this.#bundlesOf(set), data, process: this.#process, nowMs: Date.now },
      ...{ strikes: this.#options.strikes, times: this.#times },
      digests: new Map([...set.others].map(([name, { tarball }]) => [name, tarball.digest])),
      onGivenUp: (given) => {
        if (this.#active !== null) this.#active = { ...this.#active, set: this.#without(this.#active.set, given) };
      },
    });
  }

  #bundlesOf(set: BundleSet): ScanBundles {
    const { ref, settings } = this.#options;
    const { others, absent } = besideOf(set, this.#others);
    const { bytes, signed } = set.platform.tarball;
    return {
      ...{ bytes, ref, signed, trust: settings.trust, absent, slowMs: settings.rollout.limits.decisionMs },
      others: others.map(({ name, kind, ref: from, tarball }) => {
        const known = settings.others.find((other) => other.name === name);
        const { trust = settings.trust, namespaces, packages = [] } = known ?? {};
        const expected = { name, kind, packages };
        return { bytes: tarball.bytes, ref: from, trust, signed: tarball.signed, expected, namespaces };
      }),
    };
  }
}

/** Follows the platform's bundle and those of the settings as the webhook does. Throws BUNDLE_REFERENCE. */
export async function followPolicy(options: FollowPolicyOptions): Promise<FollowedPolicy> {
  const { ref, settings, registry, storeOf = () => NO_STORE } = options;
  const others = await openOthers(settings.others, registry, storeOf);
  return new FollowedPolicy(options, await openSource(ref, registry, settings.trust), others);
}
