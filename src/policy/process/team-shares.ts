import { LandfallError } from "../../errors.ts";

/** Of the time that passes, so much may the rules of a team cost for the objects of one owner. */
const SHARE = 0.05;
/** The cost that is saved up, in ms: many objects that are applied together take it. */
const SAVED_MS = 1000;
/** While others ask, an evaluation costs so many times as much: they are not to notice it. */
const BESIDE_OTHERS = 5;
/** Others ask if one of them did within so many ms. */
const LATELY_MS = 1000;
/** No evaluation holds an owner for longer, in ms. */
const LONGEST_MS = 120_000;
/** Teams and owners whose cost is kept: memory must not grow with the number of those who ask. */
const MOST = 4096;

/** Who asks for a decision. */
export interface Asking {
  /** Of the namespace; null for the webhook's own questions, which are not limited. */
  owner: string | null;
  namespace: string;
}

export interface TeamShares {
  /** Runs the work of a request. `limited`: whether the rules of a team that has used up its share refuse it. */
  on<T>(asking: Asking & { limited: boolean }, work: () => T): T;
  /** Throws POL_TEAM_SLOW if the rules of this team must not be asked for this request. */
  check: (team: string) => void;
  /** The rules of this team have taken so many ms of processor time for this request. */
  add: (team: string, ms: number) => void;
}

/** The cost so far, in ms, which goes back with time. */
interface Cost {
  ms: number;
  at: number;
}

/**
 * Limits the time that the rules of a team take for the objects of one owner of namespaces. One request is decided after the other, so a slow evaluation
 * holds up all that come meanwhile, for up to its whole time: its cost grows with the square of its time. One of `slowMs` costs what it takes, or five
 * times that while other owners ask; one of a tenth of `slowMs` a tenth of what it takes, or half of it. Only the owner's own requests are refused: its
 * tenant could have written objects that take long.
 */
export function shareTime(slowMs: number, nowMs: () => number): TeamShares {
  const costs = new Map<string, Cost>();
  /** The owner that asked last, and the one before it. */
  let [last, other] = [
    { owner: "", at: -Infinity },
    { owner: "", at: -Infinity },
  ];
  let now: (Asking & { limited: boolean; taken: Map<string, number> }) | null = null;

  const keyOf = (team: string, owner: string): string => JSON.stringify([team, owner]);

  function costAt(key: string, at: number): number {
    const cost = costs.get(key);
    return cost === undefined ? 0 : Math.max(0, cost.ms - (at - cost.at) * SHARE);
  }

  function note(owner: string): void {
    if (owner !== last.owner) other = last;
    last = { owner, at: nowMs() };
  }

  const asksBeside = (owner: string, at: number): boolean => at - (owner === last.owner ? other : last).at < LATELY_MS;

  function charge(team: string, owner: string, ms: number): void {
    const [key, at] = [keyOf(team, owner), nowMs()];
    const sum = costAt(key, at) + ((ms * ms) / slowMs) * (asksBeside(owner, at) ? BESIDE_OTHERS : 1);
    // The latest last.
    costs.delete(key);
    costs.set(key, { ms: Math.min(sum, SAVED_MS + LONGEST_MS * SHARE), at });
    const [oldest] = costs.keys();
    if (costs.size > MOST && oldest !== undefined) costs.delete(oldest);
  }

  return {
    on(asking, work) {
      const taken = new Map<string, number>();
      now = { ...asking, taken };
      if (asking.owner !== null) note(asking.owner);
      try {
        return work();
      } finally {
        now = null;
        if (asking.owner !== null) for (const [team, ms] of taken) charge(team, asking.owner, ms);
      }
    },
    check(team) {
      if (now === null || !now.limited || now.owner === null) return;
      const at = nowMs();
      const beyond = costAt(keyOf(team, now.owner), at) - SAVED_MS;
      if (beyond <= 0) return;
      const seconds = Math.ceil(beyond / SHARE / 1000);
      throw new LandfallError("POL_TEAM_SLOW", { bundle: team, namespace: now.namespace, seconds });
    },
    add(team, ms) {
      now?.taken.set(team, (now.taken.get(team) ?? 0) + ms);
    },
  };
}
