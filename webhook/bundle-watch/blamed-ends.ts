import { type BundleSet, usedOf } from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import type { TeamStrikes } from "../../src/bundle/follow/team-strikes.ts";
import type { OwnerOf } from "../../src/external-data/sample-fairly.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";
import type { DecisionEnd } from "../decisions/start-process.ts";

/** So many ends within this time (ms) that neither a request nor a team is to blame for, and the set continues without teams. */
const UNEXPLAINED = { ends: 3, withinMs: 600_000 };

/** The set of bundles whose process ended. */
interface EndedSet {
  set: BundleSet | null;
  /** The bundles with rules next to the platform's. */
  teams: readonly Member[];
  /** The namespace of the request that it worked on; null if it worked on none. */
  namespace: string | null;
  nowMs: number;
}

/** Says which teams to give up after a process ended, whatever they answer to the self-test. */
export class BlamedEnds {
  readonly #strikes: TeamStrikes;
  readonly #ownerOf: OwnerOf;
  #unexplained: number[] = [];

  constructor(strikes: TeamStrikes, ownerOf: OwnerOf) {
    this.#strikes = strikes;
    this.#ownerOf = ownerOf;
  }

  /**
   * The team whose rules end processes for several owners of namespaces; all teams after ends that nothing explains: their rules are the
   * only work in that process that is not Landfall's. Want of memory does not count.
   */
  wornTeams({ error, fatalRequest, ofMemory = false }: DecisionEnd, ended: EndedSet): Member[] {
    const { set, teams, namespace, nowMs } = ended;
    const digestOf = ({ name }: Member): string | undefined => usedOf(set, name)?.tarball.digest;
    const used = teams.filter((team) => digestOf(team) !== undefined);
    const blamed = failedTeam(error);
    if (blamed !== null) {
      const owner = namespace === null ? null : this.#ownerOf(namespace);
      const isWorn = (team: Member): boolean => this.#strikes.add(digestOf(team) ?? "", owner, nowMs);
      return used.filter((team) => team.name === blamed && isWorn(team));
    }
    if (fatalRequest !== null || ofMemory || !this.#isOneTooMany(nowMs)) return [];
    for (const team of used) this.#strikes.giveUp(digestOf(team) ?? "", nowMs);
    return used;
  }

  #isOneTooMany(nowMs: number): boolean {
    this.#unexplained = [...this.#unexplained, nowMs].filter((at) => nowMs - at < UNEXPLAINED.withinMs);
    if (this.#unexplained.length < UNEXPLAINED.ends) return false;
    this.#unexplained = [];
    return true;
  }
}
