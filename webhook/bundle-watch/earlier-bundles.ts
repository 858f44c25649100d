import { type BundleSet, type Used, usedOf, withoutUsed, withUsed } from "../../src/bundle/follow/bundle-set.ts";
import type { Member } from "../../src/bundle/follow/follow-bundles.ts";
import { LandfallError } from "../../src/errors.ts";
import { failedTeam } from "../../src/policy/process/failed-team.ts";

/** The bundle that each bundle replaced, for a rollback. */
export class EarlierBundles {
  /** Null: there was none. */
  readonly #earlier = new Map<string | null, Used | null>();
  #latest: Member | null = null;

  replaced(member: Member, before: Used | null): void {
    this.#earlier.set(member.name, before);
    this.#latest = member;
  }

  /**
   * The bundle to blame for an error: of the team whose rules failed, or the one that changed last. Null where there is
   * nothing to go back to: the platform's own bundle is kept until there is another one.
   */
  blamed(error: LandfallError, beside: readonly Member[]): Member | null {
    const team = failedTeam(error);
    const member = beside.find(({ name }) => name === team) ?? this.#latest;
    return member?.name === null && !this.#earlier.has(null) ? null : member;
  }

  /**
   * Puts a bundle of the set in quarantine. Returns the set with its earlier version, or without it if there is none. One for which there is
   * no memory (ADM_RESTARTING) is at no fault: the set is without it until a poll tries it again.
   */
  giveUp(set: BundleSet, member: Member, error: LandfallError): BundleSet {
    const { name, ref, follower } = member;
    if (error.code === "ADM_RESTARTING") {
      const used = usedOf(set, name);
      if (used !== null) follower.refuse(used.tarball.digest, error.cause ?? error);
      return withoutUsed(set, name);
    }
    const [worn, old] = [usedOf(set, name), this.#earlier.get(name) ?? null];
    this.#earlier.delete(name);
    if (this.#latest === member) this.#latest = null;
    const reason = new LandfallError("BUNDLE_LOOPS", { ref, limit: "any", detail: error.line }, error);
    if (worn !== null) follower.refuse(worn.tarball.digest, reason);
    return old === null ? withoutUsed(set, name) : withUsed(set, name, { ...old, from: "disk" });
  }
}
