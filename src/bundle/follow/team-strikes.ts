/** A team's rules that end a process this often, for namespaces of this many owners, within this time (ms), are given up. */
const LIMITS = { ends: 3, owners: 2, withinMs: 600_000 };
/** A bundle that was given up is not used for so long (ms), also after a restart. */
const GIVEN_UP_MS = 24 * 3_600_000;

interface Strike {
  /** The owner of the namespace: the tenant, or the namespace itself. The file of strikes has it by this name. */
  namespace: string | null;
  at: number;
}

/** The state that outlives this process. Keys are digests of bundles. */
export interface SavedStrikes {
  strikes: Record<string, Strike[]>;
  /** Ms since 1970. */
  givenUp: Record<string, number>;
}

/** The store of that state. Neither throws: without the file, strikes count until the next restart. */
export interface StrikeStore {
  read(): SavedStrikes;
  write(saved: SavedStrikes): void;
}

const NO_STORE: StrikeStore = { read: () => ({ strikes: {}, givenUp: {} }), write: () => undefined };

/**
 * Counts how often the rules of a team's bundle ended a process, also across restarts: what ends the webhook itself counts as
 * well. Requests of one owner alone do not cause rules to be given up: a tenant could have written them so that they take long, to be rid of the
 * rules.
 */
export class TeamStrikes {
  readonly #store: StrikeStore;
  readonly #strikes: Map<string, Strike[]>;
  readonly #givenUp: Map<string, number>;

  constructor(store: StrikeStore = NO_STORE) {
    const { strikes, givenUp } = store.read();
    this.#store = store;
    this.#strikes = new Map(Object.entries(strikes));
    this.#givenUp = new Map(Object.entries(givenUp));
  }

  /** Counts one end. Returns whether the bundle is to be given up; then it starts from nothing. */
  add(digest: string, owner: string | null, nowMs: number): boolean {
    const before = this.#strikes.get(digest) ?? [];
    // Of each owner the last ones: memory must not grow with them, nor one owner push out the others.
    const same = before.filter((one) => one.namespace === owner).slice(1 - LIMITS.ends);
    const others = before.filter((one) => one.namespace !== owner).slice(-LIMITS.ends);
    const recent = [...others, ...same, { namespace: owner, at: nowMs }].filter(
      ({ at }) => nowMs - at < LIMITS.withinMs,
    );
    const owners = new Set(recent.map((one) => one.namespace)).size;
    const tooMany = recent.length >= LIMITS.ends && owners >= LIMITS.owners;
    if (tooMany) this.giveUp(digest, nowMs);
    else {
      this.#strikes.set(digest, recent);
      this.#save(nowMs);
    }
    return tooMany;
  }

  /** Records that a bundle is not used any more. */
  giveUp(digest: string, nowMs: number): void {
    this.#strikes.delete(digest);
    this.#givenUp.set(digest, nowMs);
    this.#save(nowMs);
  }

  /** Whether a bundle was given up lately, also by an earlier process. */
  isGivenUp(digest: string, nowMs: number): boolean {
    const at = this.#givenUp.get(digest);
    return at !== undefined && nowMs - at < GIVEN_UP_MS;
  }

  #save(nowMs: number): void {
    for (const [digest, all] of this.#strikes)
      if (all.every(({ at }) => nowMs - at >= LIMITS.withinMs)) this.#strikes.delete(digest);
    for (const [digest, at] of this.#givenUp) if (nowMs - at >= GIVEN_UP_MS) this.#givenUp.delete(digest);
    this.#store.write({ strikes: Object.fromEntries(this.#strikes), givenUp: Object.fromEntries(this.#givenUp) });
  }
}
