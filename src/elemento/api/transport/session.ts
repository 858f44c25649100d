import { LandfallError } from "../../../errors.ts";

/** Proof of a login that goes with every request; empty where the daemon holds the session itself. */
export interface Session {
  readonly headers: Readonly<Record<string, string>>;
  /** What must not be seen in an error. */
  readonly secrets: readonly string[];
}

export interface Sessions {
  /** The one session of the account; whoever comes first logs in, the others wait for it. */
  current(): Promise<Session>;
  /** Says that Elemento no longer takes this one. Nothing happens where there is a newer one already. */
  expire(session: Session): void;
}

/** After a refused login it is not tried again for a while: many reconciles would lock the account. */
const REFUSED_MS = 10_000;

/** Keeps one session for all. `login` throws ELEMENTO_LOGIN where the account is refused. `now` is in milliseconds. */
export function keepSession(login: () => Promise<Session>, nowMs: () => number): Sessions {
  let pending: Promise<Session> | null = null;
  let session: Session | null = null;
  let refused: { error: LandfallError; until: number } | null = null;

  async function renew(): Promise<Session> {
    try {
      session = await login();
      return session;
    } catch (thrown) {
      if (thrown instanceof LandfallError && thrown.code === "ELEMENTO_LOGIN")
        refused = { error: thrown, until: nowMs() + REFUSED_MS };
      throw thrown;
    } finally {
      pending = null;
    }
  }

  return {
    current: async () => {
      if (session !== null) return session;
      if (refused !== null && nowMs() < refused.until) throw refused.error;
      pending ??= renew();
      return pending;
    },
    expire: (old) => {
      if (session === old) session = null;
    },
  };
}
