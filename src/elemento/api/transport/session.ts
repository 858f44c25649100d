import { LandfallError } from "../../../errors.ts";

/** Credentials of a login, sent with every request; empty if the daemon keeps the session itself. */
export interface Session {
  readonly headers: Readonly<Record<string, string>>;
  /** Must not appear in errors. */
  readonly secrets: readonly string[];
}

export interface Sessions {
  /** The account's only session. The first caller logs in; others wait for it. */
  current(): Promise<Session>;
  /** Marks the session as expired. Does nothing if there is a newer one. */
  expire(session: Session): void;
}

/** After a refused login, no login is attempted for this long: many reconciles would lock the account. */
const REFUSED_MS = 10_000;

/** Shares one session. `login` throws ELEMENTO_LOGIN if the account is refused. `nowMs` is in milliseconds. */
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
