import type { BundleSource } from "../../src/bundle/open-source.ts";
import type { Rollout } from "../../src/bundle/read-settings.ts";
import {
  type BundleSet,
  besideOf,
  type OtherOptions,
  usedOf,
  withoutUsed,
} from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { asLandfallError, LandfallError } from "../../src/errors.ts";
import type { DecisionProcess } from "../decisions/start-process.ts";
import type { Canaries } from "./ask-canaries.ts";
import { type Active, digestsOf } from "./bundle-status.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";
import type { Processes } from "./processes.ts";
import { tryBundle } from "./try-bundle.ts";

export interface LoaderOptions {
  source: Pick<BundleSource, "ref">;
  rollout: Rollout;
  canaries: Canaries;
  /** Reviews that were denied lately; none if omitted. */
  refused?: () => readonly string[];
  others: readonly OtherOptions[];
  processes: Processes;
}

interface Asked {
  set: BundleSet;
  /** The bundle that is new in it. */
  member: Member;
  /** The active set, which the new one is compared with. */
  active: Active | null;
}

/** A team's bundle that a set does without, because it alone fails. */
export interface Suspended {
  member: Member;
  error: LandfallError;
  digest: string;
}

const without = (set: BundleSet, suspended: readonly Suspended[]): BundleSet =>
  suspended.reduce((left, { member }) => withoutUsed(left, member.name), set);

/** The team that an error of a set names, if it is not the one that changed. Anyone who claims another's root is at fault. */
function blamedTeam(thrown: unknown, { set, member }: Asked, teams: readonly Member[]): Suspended | null {
  const error = asLandfallError(thrown);
  const [failed, { ref }] = [failedTeam(error), error.params];
  const team = teams.find((one) => (failed === null ? one.ref === ref : one.name === failed));
  const used = team === undefined ? null : usedOf(set, team.name);
  if (team === undefined || used === null || team.name === member.name) return null;
  if (!error.code.startsWith("BUNDLE_") || (error.code === "BUNDLE_ROOTS" && member.name !== null)) return null;
  const { digest } = used.tarball;
  if (ref === team.ref) return { member: team, error, digest };
  const params = { ref: team.ref, limit: error.params["limit"] ?? "any", detail: error.message };
  return { member: team, error: new LandfallError("BUNDLE_LOOPS", params, error), digest };
}

/** Loads sets of bundles in processes next to the active one, and tries them. */
export class SetLoader {
  readonly #options: LoaderOptions;

  constructor(options: LoaderOptions) {
    this.#options = options;
  }

  /** Loads a set that decided before: it is asked in these namespaces, but neither how fast it is nor what it changes. */
  again(set: BundleSet, member: Member, suspects: readonly string[]): Promise<Active> {
    const { rollout } = this.#options;
    const limits = { ...rollout.limits, decisionMs: Infinity };
    return this.#load({ set, member, active: null }, null, { limits, suspects, decidedBefore: true });
  }

  /**
   * Loads a set with a new bundle. If only another team's part fails, the set is loaded without that team: no team can veto what
   * others change. Throws if it must not be used.
   */
  async fresh(asked: Asked, teams: readonly Member[]): Promise<{ active: Active; suspended: Suspended[] }> {
    for (let suspended: Suspended[] = []; ;) {
      const now = { ...asked, set: without(asked.set, suspended) };
      const compared = await this.#compared(asked.active, suspended);
      try {
        const { limits } = this.#options.rollout;
        return { active: await this.#load(now, compared, { limits, suspects: [], decidedBefore: false }), suspended };
      } catch (thrown) {
        const team = blamedTeam(thrown, now, teams);
        if (team === null) throw thrown;
        suspended = [...suspended, team];
      } finally {
        if (compared !== null && compared !== asked.active?.decider) void this.#options.processes.retire(compared);
      }
    }
  }

  /** What a set is compared with: the active one, also without the suspended teams, so that their absence is no change. */
  async #compared(active: Active | null, suspended: readonly Suspended[]): Promise<DecisionProcess | null> {
    if (active === null || suspended.length === 0) return active?.decider ?? null;
    const decider = this.#open(without(active.set, suspended));
    await decider.ready;
    return decider;
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
    const { rollout, canaries, refused } = this.#options;
    const decider = this.#open(set);
    try {
      const asked = { canary: rollout.canary, canaries, refused: refused?.() ?? [] };
      const replaces = digestsOf(active, member.name);
      const bundle = await tryBundle({ ...trial, ...asked, decider, active: compared, changed: member, replaces });
      return { decider, set, bundle };
    } catch (thrown) {
      void this.#options.processes.retire(decider);
      throw thrown;
    }
  }
}
