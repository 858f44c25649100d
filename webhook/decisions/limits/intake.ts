import { LandfallError } from "../../../src/errors.ts";

/** Limits of requests that wait for a decision: in all, for one namespace, and for one user in it. */
const LIMITS: IntakeLimits = {
  all: { requests: 4096, characters: 64 * 1024 * 1024 },
  namespace: { requests: 1024, characters: 16 * 1024 * 1024 },
  user: { requests: 512, characters: 8 * 1024 * 1024 },
};
/** A namespace that has less than its share gets in when all of it is used by others, up to this part of the limit more. */
const MORE = 0.25;
/** Fewer requests of a namespace than this may wait for however long. */
const FEW = 16;
/** Of a decision's time limit: if a request of a namespace has waited for longer, the next ones would wait in vain. */
const LONG = 0.5;

interface Amount {
  requests: number;
  characters: number;
}

interface IntakeLimits {
  all: Amount;
  namespace: Amount;
  /** None if omitted. */
  user?: Amount;
}

export interface IntakeOptions {
  limits?: IntakeLimits;
  /** How long a request may wait for its answer, in ms; without it, no request is refused for the time that others wait. */
  timeoutMs?: number;
  nowMs?: () => number;
}

/** Counts the requests that wait for a decision. */
export interface Intake {
  /**
   * Lets a request in; the answer lets it out again. Throws ADM_BUSY if too much waits, of all, of its namespace or of its user there, or if
   * those of its namespace wait for too long. `user`: null if it is not known.
   */
  enter(namespace: string | null, characters: number, user?: string | null): () => void;
}

interface Line extends Amount {
  users: Map<string, Amount>;
  /** When those that wait came, the first one first. */
  since: Map<object, number>;
}

const nothing = (): Amount => ({ requests: 0, characters: 0 });

const exceeds = ({ requests, characters }: Amount, limit: Amount, share = 1): boolean =>
  requests >= limit.requests * share || characters >= limit.characters * share;

function change(amount: Amount, sign: 1 | -1, characters: number): void {
  amount.requests += sign;
  amount.characters += sign * characters;
}

const busy = (scope: string): LandfallError => new LandfallError("ADM_BUSY", { scope });

/** An intake that nothing waits in. */
export function openIntake(options: IntakeOptions = {}): Intake {
  const { limits = LIMITS, timeoutMs = Infinity, nowMs = () => performance.now() } = options;
  const all = nothing();
  const namespaces = new Map<string, Line>();

  /** Full for everyone, or for those that have their share of it: who fills it does not keep the others out. */
  function isFull(own: Amount): boolean {
    if (exceeds(all, limits.all, 1 + MORE)) return true;
    return exceeds(all, limits.all) && exceeds(own, limits.all, 1 / (namespaces.size + 1));
  }

  function waitsLong({ requests, since }: Line): boolean {
    const [first = Infinity] = since.values();
    return requests >= FEW && nowMs() - first > LONG * timeoutMs;
  }

  /** Throws ADM_BUSY. */
  function assertRoom(name: string, own: Line, ofUser: Amount): void {
    if (isFull(own)) throw busy("of this cluster");
    if (exceeds(own, limits.namespace) || waitsLong(own)) throw busy(`of namespace ${name}`);
    if (limits.user !== undefined && exceeds(ofUser, limits.user)) throw busy(`of this user in namespace ${name}`);
  }

  const lineOf = (name: string): Line =>
    namespaces.get(name) ?? { ...nothing(), users: new Map<string, Amount>(), since: new Map<object, number>() };

  return {
    enter(namespace, characters, user = null) {
      const name = namespace ?? "";
      const own = lineOf(name);
      const ofUser = user === null ? nothing() : (own.users.get(user) ?? nothing());
      assertRoom(name, own, ofUser);
      namespaces.set(name, own);
      if (user !== null) own.users.set(user, ofUser);
      const one = {};
      own.since.set(one, nowMs());
      for (const amount of [all, own, ofUser]) change(amount, 1, characters);
      return () => {
        for (const amount of [all, own, ofUser]) change(amount, -1, characters);
        own.since.delete(one);
        if (user !== null && ofUser.requests === 0) own.users.delete(user);
        if (own.requests === 0) namespaces.delete(name);
      };
    },
  };
}
