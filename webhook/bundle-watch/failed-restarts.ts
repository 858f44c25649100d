import type { LandfallError } from "../../src/errors.ts";
import { type BundleSet, usedOf } from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";
import { withoutTeams } from "./suspend-team.ts";

/** A set that fails to load and to pass its self-test this often, one time after the other, is not used as it is. */
const FAILURES = 2;
/** The same for want of memory, and for a start that takes too long. */
const BLAMELESS = 3;

/** A set that could not restart. */
interface FailedSet {
  set: BundleSet;
  /** The bundles with rules next to the platform's. */
  teams: readonly Member[];
  /** Whether a set loads and passes its self-test. */
  passes: (set: BundleSet) => Promise<boolean>;
  /** The bundle to blame for an error if no team is; null if there is nothing to go back to. */
  blamed: (error: LandfallError) => Member | null;
}

/**
 * The teams with which a set fails: tried without all of them, then with one after the other. Null if it fails without them, too;
 * empty if it passes with all.
 */
async function failingTeams({ set, teams, passes }: FailedSet): Promise<Member[] | null> {
  const there = teams.filter(({ name }) => usedOf(set, name) !== null);
  if (there.length === 0 || !(await passes(withoutTeams(set, there)))) return null;
  const failing: Member[] = [];
  for (const [index, team] of there.entries()) {
    const left = there.slice(index + 1);
    if (!(await passes(withoutTeams(set, [...failing, ...left])))) failing.push(team);
  }
  return failing;
}

/** Counts how often a set failed to restart, and says which of its bundles to do without. */
export class FailedRestarts {
  #failures = 0;
  #blameless = 0;

  /** Another set restarts, or the same one after it decided. */
  begin(): void {
    this.#failures = 0;
    this.#blameless = 0;
  }

  /**
   * The bundles to do without after this error; none for trying the same set again. The platform's is given up only if the set
   * fails without any team's rules, too. Want of memory (ADM_RESTARTING) blames no bundle, but the set continues without teams for
   * which there is none.
   */
  async blamed(error: LandfallError, failed: FailedSet): Promise<Member[]> {
    if (error.code === "ADM_RESTARTING") {
      this.#blameless += 1;
      return this.#blameless % BLAMELESS === 0 ? ((await failingTeams(failed)) ?? []) : [];
    }
    this.#failures += 1;
    if (this.#failures < FAILURES) return [];
    const teams = failedTeam(error) === null ? await failingTeams(failed) : null;
    if (teams !== null) return teams;
    const worn = failed.blamed(error);
    return worn === null ? [] : [worn];
  }
}
