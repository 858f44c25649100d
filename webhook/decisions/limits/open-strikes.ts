/** An input that ended a process. */
export interface Strike {
  namespace: string;
  /** The team whose rules were to blame; null if none was. */
  team: unknown;
  /** How the process ended. */
  detail: string;
}

/** Who is held: after how many inputs that ended processes, until when (ms), and how the last process ended. */
export interface Held {
  count: number;
  untilMs: number;
  detail: string;
}

/** Inputs that ended processes, by who asked for them: a namespace, its owner, or a user. */
export interface Strikes {
  add(who: string, strike: Strike): void;
  /** Null if it is not held. */
  held(who: string): Held | null;
  /** Whether someone may be held. */
  holdsAny(): boolean;
  /** Forgets what this team's rules were to blame for, which do not decide any more. */
  forgive(team: string): void;
  /** Ends the holds that this team's rules were to blame for, as other rules of the team decide now. What they end counts with what was before. */
  release(team: string): void;
}

export interface StrikeLimits {
  /** As many inputs within `withinMs` hold who asked for them, for `heldMs`. */
  strikes: number;
  withinMs: number;
  heldMs: number;
  /** Each further one holds for twice as long, for at most this; forgotten after `withinMs` without one. */
  longestMs: number;
  /** The oldest are forgotten: memory must not grow with the number of attacks. */
  most: number;
  /** Only inputs of at least so many namespaces hold; of one if omitted. */
  namespaces?: number;
}

interface Known {
  /** The last ones. */
  strikes: readonly (Strike & { at: number })[];
  /** How often it was held in a row, and until when. */
  holds: number;
  untilMs: number;
  /** Other rules of the team have ended a hold. They end no further one: their author would end each, and the process again. */
  released: boolean;
}

const NOTHING: Known = { strikes: [], holds: 0, untilMs: 0, released: false };

/** None at first. */
export function openStrikes(nowMs: () => number, limits: StrikeLimits): Strikes {
  const { strikes: enough, withinMs, heldMs, longestMs, most, namespaces = 1 } = limits;
  const known = new Map<string, Known>();
  let latestMs = 0;

  /** The strikes and holds that count at a time (ms). */
  function countedOf(who: string, at: number): Known {
    const found = known.get(who) ?? NOTHING;
    const { strikes, holds, untilMs } = found;
    if (holds > 0) return at - untilMs < withinMs ? found : NOTHING;
    return { ...NOTHING, strikes: strikes.filter((one) => at - one.at < withinMs) };
  }

  const isTooMany = (strikes: Known["strikes"]): boolean =>
    strikes.length >= enough && new Set(strikes.map(({ namespace }) => namespace)).size >= namespaces;

  return {
    add(who, strike) {
      const at = nowMs();
      const before = countedOf(who, at);
      const strikes = [...before.strikes, { ...strike, at }].slice(-enough);
      const holds = before.holds > 0 || isTooMany(strikes) ? before.holds + 1 : 0;
      const untilMs = holds === 0 ? 0 : at + Math.min(heldMs * 2 ** (holds - 1), longestMs);
      latestMs = Math.max(latestMs, untilMs);
      // The latest last.
      known.delete(who);
      known.set(who, { strikes, holds, untilMs, released: before.released });
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
    },
    held(who) {
      const { strikes, holds, untilMs } = known.get(who) ?? NOTHING;
      if (untilMs <= nowMs()) return null;
      return { count: strikes.length + holds - 1, untilMs, detail: strikes.at(-1)?.detail ?? "" };
    },
    holdsAny: () => latestMs > nowMs(),
    forgive(team) {
      for (const [who, { strikes }] of known) {
        const others = strikes.filter((strike) => strike.team !== team);
        // Too few to hold.
        if (others.length < strikes.length) known.set(who, { ...NOTHING, strikes: others });
      }
    },
    release(team) {
      const at = nowMs();
      for (const [who, one] of known)
        if (one.untilMs > at && !one.released && one.strikes.some((strike) => strike.team === team))
          known.set(who, { ...one, untilMs: at, released: true });
    },
  };
}
