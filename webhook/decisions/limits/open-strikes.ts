/** An input that ended a process. */
export interface Strike {
  namespace: string;
  /** The team whose rules were to blame; null if none was. */
  team: unknown;
}

/** Who is held: after how many inputs that ended processes, and until when (ms). */
export interface Held {
  count: number;
  untilMs: number;
}

/** Inputs that ended processes, by who asked for them: a namespace, or a user. */
export interface Strikes {
  add(who: string, strike: Strike): void;
  /** Null if it is not held. */
  held(who: string): Held | null;
  /** Forgets what this team's rules were to blame for. */
  forgive(team: string): void;
}

export interface StrikeLimits {
  /** As many inputs within `withinMs` hold who asked for them, for `heldMs`. */
  strikes: number;
  withinMs: number;
  heldMs: number;
  /** The oldest are forgotten: memory must not grow with the number of attacks. */
  most: number;
  /** Only inputs of at least so many namespaces hold; of one if omitted. */
  namespaces?: number;
}

/** None at first. */
export function openStrikes(nowMs: () => number, limits: StrikeLimits): Strikes {
  const { strikes, withinMs, heldMs, most, namespaces = 1 } = limits;
  const known = new Map<string, (Strike & { at: number })[]>();
  return {
    add(who, strike) {
      known.set(who, [...(known.get(who) ?? []), { ...strike, at: nowMs() }].slice(-strikes));
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
    },
    held(who) {
      const recent = (known.get(who) ?? []).filter(({ at }) => nowMs() - at < withinMs);
      const untilMs = (recent.at(-1)?.at ?? 0) + heldMs;
      const named = new Set(recent.map(({ namespace }) => namespace)).size;
      if (recent.length < strikes || named < namespaces || untilMs <= nowMs()) return null;
      return { count: recent.length, untilMs };
    },
    forgive(team) {
      for (const [who, all] of known)
        known.set(
          who,
          all.filter((strike) => strike.team !== team),
        );
    },
  };
}
