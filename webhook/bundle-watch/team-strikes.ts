/** A team's rules that end a thread this often, for this many namespaces, within this time (ms), are given up. */
const LIMITS = { ends: 3, namespaces: 2, withinMs: 600_000 };

interface Strike {
  namespace: string | null;
  at: number;
}

/**
 * Counts how often a team's rules ended a thread. Requests of one namespace alone give nobody up: a tenant could have written
 * them so that they take long, to be rid of the rules.
 */
export class TeamStrikes {
  readonly #strikes = new Map<string, Strike[]>();

  /** Counts one end. Returns whether the team's rules are to be given up; then they start from nothing. */
  add(team: string, namespace: string | null, nowMs: number): boolean {
    const before = this.#strikes.get(team) ?? [];
    // Of each namespace the last ones: memory must not grow with them, nor one namespace push out the others.
    const same = before.filter((one) => one.namespace === namespace).slice(1 - LIMITS.ends);
    const others = before.filter((one) => one.namespace !== namespace).slice(-LIMITS.ends);
    const recent = [...others, ...same, { namespace, at: nowMs }].filter(({ at }) => nowMs - at < LIMITS.withinMs);
    const namespaces = new Set(recent.map((one) => one.namespace)).size;
    const tooMany = recent.length >= LIMITS.ends && namespaces >= LIMITS.namespaces;
    if (tooMany) this.#strikes.delete(team);
    else this.#strikes.set(team, recent);
    return tooMany;
  }
}
