import { randomBytes } from "node:crypto";
import { sha256 } from "../../model/sha256.ts";

/** How long a one-time token can be exchanged, and a session is kept after its last use, in ms. */
const TOKEN_MS = 600_000;
const SESSION_MS = 12 * 3_600_000;
/** Each tab of a browser may have one. The least recently used one ends. */
const MOST_SESSIONS = 64;

/** Who may use the console. All of it is in memory, and ends with the process. */
export interface Sessions {
  /** A new one-time token. Those before it end. */
  token(): string;
  /** The session for a one-time token; null for any other text, and at the second time. */
  exchange(token: string): string | null;
  /** Whether a session is open. Counts as its use. */
  isOpen(session: string): boolean;
}

// Only hashes are kept, and they are what is compared: the time of a comparison says nothing about a token.
const secret = (): string => randomBytes(32).toString("base64url");

/** `nowMs`: a clock that is never set back. */
export function createSessions(nowMs: () => number): Sessions {
  let offered: { hash: string; until: number } | null = null;
  /** The hash of each session -> when it ends; the least recently used one first. */
  const open = new Map<string, number>();

  function keep(key: string): void {
    open.delete(key);
    open.set(key, nowMs() + SESSION_MS);
    const [oldest] = open.keys();
    if (open.size > MOST_SESSIONS && oldest !== undefined) open.delete(oldest);
  }

  return {
    token() {
      const made = secret();
      offered = { hash: sha256(made), until: nowMs() + TOKEN_MS };
      return made;
    },
    exchange(token) {
      if (offered === null || sha256(token) !== offered.hash) return null;
      const inTime = nowMs() < offered.until;
      offered = null;
      if (!inTime) return null;
      const session = secret();
      keep(sha256(session));
      return session;
    },
    isOpen(session) {
      const key = sha256(session);
      const until = open.get(key);
      if (until === undefined) return false;
      if (nowMs() >= until) {
        open.delete(key);
        return false;
      }
      keep(key);
      return true;
    },
  };
}
