import type { BundleSource } from "../../src/bundle/open-source.ts";
import type { Rollout } from "../../src/bundle/read-settings.ts";
import { type BundleSet, besideOf, type OtherOptions } from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";
import { itself, type OwnerOf } from "../../src/external-data/sample-fairly.ts";
import { TeamStrikes } from "../../src/bundle/follow/team-strikes.ts";
import type { Canaries } from "./ask-canaries.ts";
import { type Active, digestsOf } from "./bundle-status.ts";
import { OmittedOwners } from "./omitted-owners.ts";
import type { Processes } from "./processes.ts";
import {
  blamedTeam,
  isOfAll,
  type NewInSet,
  otherTeams,
  type Suspended,
  suspend,
  membersOf,
  withoutTeams,
} from "./suspend-team.ts";
import { tryBundle } from "./try-bundle.ts";

export interface LoaderOptions {
  source: Pick<BundleSource, "ref">;
  rollout: Rollout;
  canaries: Canaries;
  ownerOf?: OwnerOf;
  /** Strikes of teams; none of others if omitted. */
  strikes?: TeamStrikes;
  /** Ms since 1970. */
  nowMs?: () => number;
  /** Reviews that were denied lately; none if omitted. */
  refused?: () => readonly string[];
  others: readonly OtherOptions[];
  processes: Processes;
  /** Whether the active process decides without old teams now. Both sets that are compared ask them. */
  isReduced: () => boolean;
}

interface Asked extends NewInSet {
  /** The active set, which the new one is compared with. */
  active: Active | null;
}

interface Loaded {
  active: Active;
  suspended: Suspended[];
}

/** With what a new set is compared: the process that answers requests, if the sets are alike, or one as new as its own. */
type Against = "active" | "new";

/** Loads sets of bundles in processes next to the active one, and tries them. */
export class SetLoader {
  readonly #options: LoaderOptions;
  readonly #omitted: OmittedOwners;

  constructor(options: LoaderOptions) {
    this.#options = options;
    this.#omitted = new OmittedOwners(options.strikes ?? new TeamStrikes(), options.nowMs ?? Date.now);
  }

  /** Loads a set that decided before: it is asked in these namespaces, but neither how fast it is nor what it changes. */
  again(set: BundleSet, member: Member, suspects: readonly string[]): Promise<Active> {
    const { rollout } = this.#options;
    const limits = { ...rollout.limits, decisionMs: Infinity };
    return this.#load({ set, member, active: null }, null, { limits, suspects, decidedBefore: true });
  }

  /** Whether a set that decided before loads and passes its self-test now. Never throws. */
  async passes(set: BundleSet, member: Member, suspects: readonly string[]): Promise<boolean> {
    try {
      const { decider } = await this.again(set, member, suspects);
      void this.#options.processes.retire(decider);
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Loads a set with a new bundle. If only another team's part fails, the set is loaded without that team: no team can veto what
   * others change. Throws if it must not be used.
   */
  async fresh(asked: Asked, teams: readonly Member[]): Promise<Loaded> {
    for (let suspended: Suspended[] = []; ;) {
      try {
        return { active: await this.#try(asked, membersOf(suspended), "active"), suspended };
      } catch (thrown) {
        const now = { ...asked, set: withoutTeams(asked.set, membersOf(suspended)) };
        const team = blamedTeam(thrown, now, teams);
        const others = otherTeams(now, teams);
        if (team !== null) suspended = [...suspended, team];
        else if (isOfAll(thrown) && others.length > 0) return this.#oneByOne(asked, suspended, others);
        else throw thrown;
      }
    }
  }

  /**
   * Judges the new bundle without the other teams, then adds them one by one: those with which it fails are suspended. Throws
   * what is wrong with the bundle alone.
   */
  async #oneByOne(asked: Asked, known: readonly Suspended[], others: readonly Member[]): Promise<Loaded> {
    const suspended = [...known];
    // The active process is older than the others: what a module remembers must not look like what another bundle changed.
    let active = await this.#try(asked, [...membersOf(suspended), ...others], "new");
    for (const [index, team] of others.entries()) {
      const left = others.slice(index + 1);
      try {
        const next = await this.#try(asked, [...membersOf(suspended), ...left], "new");
        void this.#options.processes.retire(active.decider);
        active = next;
      } catch (thrown) {
        const error = asLandfallError(thrown);
        if (!error.code.startsWith("BUNDLE_") || error.code === "BUNDLE_UNCOMPARED") {
          void this.#options.processes.retire(active.decider);
          throw thrown;
        }
        suspended.push(suspend(asked.set, team, error));
      }
    }
    return { active, suspended };
  }

  /** Tries a set without these teams, and again without the questions of an owner that ended a process of another team's rules. */
  async #try(asked: Asked, less: readonly Member[], against: Against): Promise<Active> {
    const isActive = against === "active" && less.length === 0 && !this.#options.isReduced();
    for (;;) {
      try {
        return await this.#compare(asked, less, isActive);
      } catch (thrown) {
        this.#omitted.add(thrown, { ...asked, active: asked.active?.set ?? null, isActive });
      }
    }
  }

  /** Tries a set without these teams, against the active one without them: their absence does not count as a change. */
  async #compare(asked: Asked, less: readonly Member[], isActive: boolean): Promise<Active> {
    const { processes, rollout } = this.#options;
    const { active } = asked;
    const compared = active === null || isActive ? null : await this.#alike(active, less);
    try {
      const set = withoutTeams(asked.set, less);
      const trial = { limits: rollout.limits, suspects: [], decidedBefore: false };
      return await this.#load({ ...asked, set }, compared ?? active?.decider ?? null, trial);
    } finally {
      if (compared !== null) void processes.retire(compared);
    }
  }

  /** A process like the active one, without these teams. Throws ADM_RESTARTING: its failure says nothing about the new set. */
  async #alike(active: Active, less: readonly Member[]): Promise<DecisionProcess> {
    const decider = this.#open(withoutTeams(active.set, less));
    try {
      await decider.ready;
      return decider;
    } catch (thrown) {
      void this.#options.processes.retire(decider);
      throw new LandfallError("ADM_RESTARTING", {}, thrown);
    }
  }

  #open(set: BundleSet): DecisionProcess {
    const { source, others, processes } = this.#options;
    return processes.open(set.platform.tarball, source.ref, besideOf(set, others));
  }

  async #load(
    { set, member, active }: Asked,
    compared: DecisionProcess | null,
    trial: Pick<Parameters<typeof tryBundle>[0], "limits" | "suspects" | "decidedBefore">,
  ): Promise<Active> {
    const { rollout, canaries, refused, ownerOf = itself } = this.#options;
    const decider = this.#open(set);
    try {
      const omitted = this.#omitted.of(set, active?.set ?? null);
      const asked = { canary: rollout.canary, canaries, ownerOf, omitted, refused: refused?.() ?? [] };
      const replaces = digestsOf(active, member.name);
      const bundle = await tryBundle({ ...trial, ...asked, decider, active: compared, changed: member, replaces });
      return { decider, set, bundle };
    } catch (thrown) {
      void this.#options.processes.retire(decider);
      throw thrown;
    }
  }
}
