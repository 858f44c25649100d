/** Slow evaluations of a team's rules that take so much processor time within a minute (ms) hold up all requests. */
const LIMITS = { totalMs: 3000, ownerMs: 1000, withinMs: 60_000 };

interface Used {
  /** Of the namespace: the tenant, or the namespace itself. */
  owner: string;
  ms: number;
  at: number;
}

/**
 * Sums the processor time of evaluations that took longer than `limits.decisionMs`, by bundle. Of one owner of namespaces, at most a third of the limit
 * counts: a tenant could have written objects that take long, to be rid of the rules.
 */
export class TeamTimes {
  readonly #used = new Map<string, Used[]>();

  /** Adds one evaluation. Returns whether the bundle is to be given up; then it starts from nothing. */
  add(digest: string, { owner, ms, at }: Used): boolean {
    const before = (this.#used.get(digest) ?? []).filter((one) => at - one.at < LIMITS.withinMs);
    const recent = [...before, { owner, ms, at }];
    const sums = new Map<string, number>();
    for (const one of recent) sums.set(one.owner, (sums.get(one.owner) ?? 0) + one.ms);
    const total = [...sums.values()].reduce((sum, own) => sum + Math.min(own, LIMITS.ownerMs), 0);
    // Memory must not grow with an owner that has used up its part.
    const counts = (sums.get(owner) ?? 0) - ms < LIMITS.ownerMs;
    this.#used.set(digest, counts ? recent : before);
    if (total < LIMITS.totalMs) return false;
    this.#used.delete(digest);
    return true;
  }
}
