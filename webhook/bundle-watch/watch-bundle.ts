import { setTimeout as sleep } from "node:timers/promises";
import { asLandfallError, LandfallError, messageOf } from "../../src/errors.ts";
import type { ToldEvent } from "../decisions/messages.ts";
import type { DecisionProcess, DecisionEnd } from "../decisions/start-process.ts";
import { scanReview } from "../review/scan-review.ts";
import { type BundleSet, type OtherOptions, usedOf } from "../../src/bundle/follow/bundle-set.ts";
import { type Active, type BundleStatus, describeActive, describeChange, describeOthers } from "./bundle-status.ts";
import { type Change, FollowedBundles, type Member } from "../../src/bundle/follow/follow-bundles.ts";
import { createProcesses, type Processes } from "./processes.ts";
import { EarlierBundles } from "./earlier-bundles.ts";
import { FailedRestarts } from "./failed-restarts.ts";
import { BlamedEnds } from "./blamed-ends.ts";
import { findFailingTeam } from "./self-test.ts";
import { TeamStrikes } from "../../src/bundle/follow/team-strikes.ts";
import { TeamTimes } from "../../src/bundle/follow/team-times.ts";
import { itself, type OwnerOf } from "../../src/external-data/sample-fairly.ts";
import type { WatchOptions } from "./watch-options.ts";
import { SetLoader } from "./load-set.ts";
import { concerns, tellAside } from "./old-teams.ts";
import { waitAtMost } from "./wait-at-most.ts";

export type { BundleEvent } from "./bundle-status.ts";
export type { WatchOptions } from "./watch-options.ts";

/** Requests wait this long for a restart, in ms; then they are asked to come again. */
const PATIENCE_MS = 4000;
const LONGEST_PAUSE_MS = 30_000;
/** The self-test asks in the namespaces of the latest requests that ended a process. */
const NAMESPACES = 3;

/**
 * Keeps the webhook's bundles up to date. Each reference is followed independently. A new bundle loads next to the active
 * set, is tried, and replaces it between two requests. A bundle that fails is put in quarantine, and the active set stays.
 */
export class BundleWatch {
  readonly #options: WatchOptions;
  readonly #others: readonly OtherOptions[];
  readonly #processes: Processes;
  readonly #loader: SetLoader;
  readonly #followed: FollowedBundles;
  #active: Active | null = null;
  /** The active set, also while its process restarts. */
  #set: BundleSet | null = null;
  readonly #earlier = new EarlierBundles();
  readonly #setAside = tellAside();
  readonly #strikes: TeamStrikes;
  readonly #times = new TeamTimes();
  readonly #ownerOf: OwnerOf;
  #checkingTeam = false;
  #reviving: Promise<void> | null = null;
  /** Namespaces of the requests that ended a process, the latest last. */
  #suspects: string[] = [];
  readonly #failed = new FailedRestarts();
  readonly #ends: BlamedEnds;
  #stopped = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#others = options.others ?? [];
    this.#strikes = options.strikes ?? new TeamStrikes();
    this.#ownerOf = options.ownerOf ?? itself;
    this.#ends = new BlamedEnds(this.#strikes, this.#ownerOf);
    this.#processes = createProcesses(options.start, (decider, end) => {
      if (this.#active?.decider === decider) this.#reviving = this.#revive(end);
    });
    const { source, store, rollout, onEvent, nowMs, random } = options;
    const shared = { strikes: this.#strikes, others: this.#others, processes: this.#processes };
    this.#loader = new SetLoader({ ...options, ...shared, isReduced: () => this.#followed.tooOld().length > 0 });
    this.#followed = new FollowedBundles({
      ...{ source, store, rollout, others: this.#others, onEvent, nowMs, random },
      latest: () => this.#set,
      use: (change) => this.#use(change),
    });
  }

  /**
   * The active process; null before the first bundle. Throws BUNDLE_STALE if the settings refuse old bundles,
   * BUNDLE_REQUIRED while a required bundle is missing, and ADM_RESTARTING if a restart takes long. Old bundles of teams deny
   * only what they are asked about: `namespace` is the request's, and null counts for all.
   */
  async decider(namespace: string | null = null): Promise<DecisionProcess | null> {
    if (this.#active === null && this.#reviving !== null) await waitAtMost(this.#reviving, PATIENCE_MS);
    this.#followed.checkStale((team) => concerns(team, namespace, this.#options.namespaceOf));
    if (this.#active === null) {
      if (this.#reviving !== null) throw new LandfallError("ADM_RESTARTING");
      return null;
    }
    this.#followed.checkRequired();
    return this.#setAside(this.#active.decider, this.#followed.tooOld());
  }

  status(): BundleStatus {
    const nowSeconds = Math.floor(this.#options.nowMs() / 1000);
    return {
      ...this.#followed.platform.follower.status(),
      active: this.#active === null ? null : describeActive(this.#active),
      others: describeOthers(this.#followed.beside, this.#active, nowSeconds),
      missing: this.#followed.missing(),
    };
  }

  /** Polls the registries now; resolves when what they name is active, or is rejected. */
  poll(): Promise<void> {
    return this.#followed.poll();
  }

  tell(event: ToldEvent, from?: DecisionProcess): void {
    this.#processes.tell(event, from);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.#followed.stop(), this.#processes.stop()]);
  }

  /** Activates a set in which one bundle is new. Throws if it must not be used. */
  async #use({ set, before, member }: Change): Promise<void> {
    const digest = usedOf(set, member.name)?.tarball.digest ?? "";
    if (member.name !== null && this.#strikes.isGivenUp(digest, this.#options.nowMs()))
      throw new LandfallError("BUNDLE_LOOPS", { ref: member.ref, limit: "any", detail: "it was given up before" });
    const teams = this.#followed.teams();
    const { active, suspended } = await this.#loader.fresh({ set, member, active: this.#active }, teams);
    if (before !== null && usedOf(before, member.name)?.tarball.digest !== digest) this.#replace(before, member);
    this.#activate(active);
    const change = describeChange(active, before, member.name);
    if (change !== null) this.#options.onEvent("bundle active", change);
    for (const one of suspended) one.member.follower.refuse(one.digest, one.error);
  }

  #replace(before: BundleSet, member: Member): void {
    if (this.#active !== null) this.#earlier.replaced(member, usedOf(before, member.name));
    if (member.name !== null) this.#options.onRulesReplaced?.(member.name);
  }

  #activate(active: Active): void {
    const before = this.#active;
    this.#active = active;
    this.#set = active.set;
    this.#options.onActive(active.bundle);
    // Requests in flight are answered by the old process.
    if (before !== null) void this.#processes.retire(before.decider);
  }

  /**
   * The active process exited. What one request did says nothing about the bundle: the same set starts again, and
   * is only given up if it fails its self-test in new processes. Want of memory and a slow start do not count as that: otherwise
   * anyone who fills the cluster would choose the rules.
   */
  async #revive(ended: DecisionEnd): Promise<void> {
    const { error, fatalRequest } = ended;
    const { onEvent, onFatalRequest } = this.#options;
    this.#active = null;
    this.#failed.begin();
    if (fatalRequest !== null) {
      onFatalRequest?.(fatalRequest, error);
      this.#suspects = [...this.#suspects, scanReview(fatalRequest.body).namespace ?? ""].slice(-NAMESPACES);
    }
    const namespace = fatalRequest === null ? null : this.#suspects.at(-1);
    onEvent("decision process ended and is restarted", { detail: error.line, namespace });
    await this.#strike(ended, namespace ?? null);
    for (let pauseMs = 500; !(await this.#restart()); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS))
      await sleep(pauseMs, undefined, { ref: false });
    this.#reviving = null;
  }

  /** Whether there is nothing left to restart. Polls wait meanwhile: none can overwrite what is being decided here. */
  #restart(): Promise<boolean> {
    return this.#followed.inTurn(async () => {
      if (this.#stopped || this.#active !== null || this.#set === null) return true;
      try {
        const active = await this.#loader.again(this.#set, this.#followed.platform, this.#suspects);
        this.#activate(active);
        return true;
      } catch (thrown) {
        const error = asLandfallError(thrown);
        // It ended without a request to blame.
        if (error.code === "ADM_RESTARTING")
          this.#options.onEvent("decision process cannot start", { detail: messageOf(error.cause ?? error) });
        await this.#blame(error, this.#set);
        return false;
      }
    });
  }

  /** Gives up the bundles that are to blame for a set that cannot restart; none, if it is tried again as it is. */
  async #blame(error: LandfallError, set: BundleSet): Promise<void> {
    const { platform, beside } = this.#followed;
    const worn = await this.#failed.blamed(error, {
      ...{ set, teams: this.#followed.teams() },
      passes: (one) => this.#loader.passes(one, platform, this.#suspects),
      blamed: (thrown) => this.#earlier.blamed(thrown, beside),
    });
    for (const member of worn) await this.#giveUp(member, error);
  }

  /** Gives up the teams that are to blame for the ends of processes, whatever they answer to the self-test. */
  async #strike(end: DecisionEnd, namespace: string | null): Promise<void> {
    const ended = { set: this.#set, teams: this.#followed.teams(), namespace, nowMs: this.#options.nowMs() };
    for (const team of this.#ends.wornTeams(end, ended))
      await this.#followed.inTurn(() => this.#giveUp(team, end.error));
  }

  async #giveUp(member: Member, error: LandfallError): Promise<void> {
    if (this.#set === null) return;
    this.#failed.begin();
    this.#set = this.#earlier.giveUp(this.#set, member, error);
    if (member.name !== null) this.#options.onRulesGone?.(member.name);
    for (const other of this.#followed.beside) if (other.name !== member.name) other.follower.reconsider();
    await member.follower.keepUsed();
  }

  /**
   * To be called when the rules of a team failed for a request. If they fail for an object of Landfall's own as well, they
   * would fail for others too: their bundle is given up, and the platform's keeps deciding.
   */
  async teamFailed(): Promise<void> {
    if (this.#checkingTeam) return;
    this.#checkingTeam = true;
    // If the process ends meanwhile, `onEnd` follows that up.
    await this.#followed.inTurn(() => this.#checkTeam()).catch(() => undefined);
    this.#checkingTeam = false;
  }

  async #checkTeam(): Promise<void> {
    const team = this.#active === null ? null : await findFailingTeam(this.#active.decider);
    const member = this.#followed.beside.find(({ name }) => name === team);
    if (team === null || member === undefined) return;
    await this.#decideWithout(member, "they fail the self-test");
  }

  async #decideWithout(member: Member, detail: string): Promise<void> {
    await this.#giveUp(member, new LandfallError("POL_TEAM", { bundle: String(member.name), detail }));
    if (this.#set !== null) this.#activate(await this.#loader.again(this.#set, this.#followed.platform, []));
  }

  /** To be called when the rules of a team took long (ms) for a request: rules that hold up everybody are given up. */
  async teamSlow(name: string, namespace: string, ms: number): Promise<void> {
    const at = this.#options.nowMs();
    const member = this.#followed.beside.find((one) => one.name === name);
    const digest = usedOf(this.#set, name)?.tarball.digest;
    if (member === undefined || digest === undefined) return;
    if (!this.#times.add(digest, { owner: this.#ownerOf(namespace), ms, at })) return;
    this.#strikes.giveUp(digest, at);
    const stays = (): boolean => usedOf(this.#set, name)?.tarball.digest === digest;
    const work = async (): Promise<void> =>
      stays() ? this.#decideWithout(member, "they take too much processor time") : undefined;
    // If the process ends meanwhile, `onEnd` follows that up.
    await this.#followed.inTurn(work).catch(() => undefined);
  }
}
