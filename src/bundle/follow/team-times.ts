/** Slow evaluations of a team's rules that take so much processor time within a minute (ms) hold up all requests. */
const LIMITS = { totalMs: 3000, namespaceMs: 1000, withinMs: 60_000 };

interface Used {
  namespace: string;
  ms: number;
  at: number;
}

/**
 * Sums the processor time of evaluations that took longer than `limits.decisionMs`, by bundle. Of one namespace, at most a third of the limit
 * counts: a tenant could have written objects that take long, to be rid of the rules.
 */
export class TeamTimes {
  readonly #used = new Map<string, Used[]>();

  /** Adds one evaluation. Returns whether the bundle is to be given up; then it starts from nothing. */
  add(digest: string, { namespace, ms, at }: Used): boolean {
    const before = (this.#used.get(digest) ?? []).filter((one) => at - one.at < LIMITS.withinMs);
    const recent = [...before, { namespace, ms, at }];
    const sums = new Map<string, number>();
    for (const one of recent) sums.set(one.namespace, (sums.get(one.namespace) ?? 0) + one.ms);
    const total = [...sums.values()].reduce((sum, own) => sum + Math.min(own, LIMITS.namespaceMs), 0);
    // Memory must not grow with a namespace that has used up its part.
    const counts = (sums.get(namespace) ?? 0) - ms < LIMITS.namespaceMs;
    this.#used.set(digest, counts ? recent : before);
    if (total < LIMITS.totalMs) return false;
    this.#used.delete(digest);
    return true;
  }
}
