import { type BundleSet, usedOf } from "../../src/bundle/follow/bundle-set.ts";
import type { TeamStrikes } from "../../src/bundle/follow/team-strikes.ts";
import { asLandfallError, CodedError, LandfallError } from "../../src/errors.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";
import type { Compared } from "./suspend-team.ts";

/** A process that was compared with another one ended at a question about an object of this owner of namespaces. */
export class EndedAtQuestion extends CodedError {
  readonly owner: string;

  constructor({ code, params }: LandfallError, owner: string, cause: unknown) {
    super(code, params, cause);
    this.owner = owner;
  }
}

/** Whose object was asked about when a process ended; null if none was. */
function ownerAtEnd(error: unknown): string | null {
  if (error instanceof EndedAtQuestion) return error.owner;
  return error instanceof LandfallError ? ownerAtEnd(error.cause) : null;
}

/** Whether a process ended that decides as the active one does. */
const isOld = (thrown: unknown): boolean => asLandfallError(thrown).code === "ADM_RESTARTING";

/** Of the bundle whose rules were at work; null if the set has none. */
const digestAtEnd = (thrown: unknown, { set, active }: Compared): string | null =>
  usedOf(isOld(thrown) ? active : set, failedTeam(thrown))?.tarball.digest ?? null;

/** Whether rules of a team were at work whose bundle is not the new one. The end of the active process is counted where it is followed up. */
function isOfOtherTeam(thrown: unknown, { member, isActive }: Compared): boolean {
  const team = failedTeam(thrown);
  return team !== null && team !== member.name && !(isActive && isOld(thrown));
}

/** The error as one of the new set, which has the same rules of the team. */
function looping(thrown: unknown, ref: string): LandfallError {
  const error = asLandfallError(thrown);
  if (!isOld(thrown)) return error;
  return new LandfallError("BUNDLE_LOOPS", { ref, limit: "any", detail: error.message }, thrown);
}

/**
 * Whose objects the next comparisons omit, because a process ended at a question about one: the tenant could have written it, or the author of a
 * team's rules with a namespace, to stop every new bundle or to be rid of the rules. It counts while the bundle with the rules at work is in use.
 */
export class OmittedOwners {
  readonly #strikes: TeamStrikes;
  readonly #nowMs: () => number;
  /** By the digest of that bundle. */
  readonly #owners = new Map<string, Set<string>>();

  constructor(strikes: TeamStrikes, nowMs: () => number) {
    this.#strikes = strikes;
    this.#nowMs = nowMs;
  }

  /** The owners that a comparison of these sets omits. */
  of(...sets: (BundleSet | null)[]): ReadonlySet<string> {
    const used = sets.flatMap((set) => (set === null ? [] : [set.platform, ...set.others.values()]));
    const digests = new Set(used.map(({ tarball }) => tarball.digest));
    for (const digest of this.#owners.keys()) if (!digests.has(digest)) this.#owners.delete(digest);
    return new Set([...this.#owners.values()].flatMap((owners) => [...owners]));
  }

  /**
   * Omits the owner at whose question a process ended, if the bundle that is new is not to blame; the comparison is then to be made again. Throws
   * what is to be done otherwise: ADM_RESTARTING if the active process has to restart first, and an error that names the team if its
   * rules end processes for several owners.
   */
  add(thrown: unknown, compared: Compared): void {
    const [owner, digest] = [ownerAtEnd(thrown), digestAtEnd(thrown, compared)];
    if (owner === null || digest === null) throw thrown;
    const isCounted = isOfOtherTeam(thrown, compared);
    if (isCounted && this.#strikes.add(digest, owner, this.#nowMs())) throw looping(thrown, compared.member.ref);
    if (isCounted || isOld(thrown)) this.#owners.set(digest, (this.#owners.get(digest) ?? new Set()).add(owner));
    if (!isCounted) throw thrown;
  }
}
