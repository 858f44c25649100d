import { hasStatus } from "../../cluster/client/api-error.ts";
import { shareSlots } from "../../cluster/queue/share-slots.ts";
import { LandfallError } from "../../errors.ts";

/** Tokens that are checked at a time: each is a request to the API server. One address leaves some to the others. */
const CHECKS = { all: 16, group: 12 } as const;
/** Checks of one address that are under way or wait. All users come by the few addresses of the proxy. */
const MOST_OF_ADDRESS = 64;
/** For so long a token that the API server refused is not asked about again, in ms. */
const REFUSED_MS = 5000;
const MOST_REFUSED = 1024;

/** The token of a request by its hash, and the address that sent it. */
export interface Asking {
  address: string;
  key: string;
}

/** Runs the check of a token once it is the turn of its address. Throws CONSOLE_AGAIN, and the error with which the token was just refused. */
export type CheckToken = <T>(asking: Asking, check: () => Promise<T>) => Promise<T>;

/** Checks of tokens, for all addresses in turn. `nowMs`: of a clock that is never set back. */
export function createChecks(nowMs: () => number): CheckToken {
  const slots = shareSlots(CHECKS);
  const waiting = new Map<string, number>();
  const refused = new Map<string, { thrown: unknown; until: number }>();

  function assertNew(key: string): void {
    const known = refused.get(key);
    if (known === undefined) return;
    if (known.until > nowMs()) throw known.thrown;
    refused.delete(key);
  }

  function remember(key: string, thrown: unknown): void {
    refused.set(key, { thrown, until: nowMs() + REFUSED_MS });
    const [oldest] = refused.keys();
    if (refused.size > MOST_REFUSED && oldest !== undefined) refused.delete(oldest);
  }

  function add(address: string, more: 1 | -1): void {
    const count = (waiting.get(address) ?? 0) + more;
    if (count > 0) waiting.set(address, count);
    else waiting.delete(address);
  }

  return async ({ address, key }, check) => {
    assertNew(key);
    if ((waiting.get(address) ?? 0) >= MOST_OF_ADDRESS)
      throw new LandfallError("CONSOLE_AGAIN", { detail: "many people sign in to the console", seconds: 1 });
    add(address, 1);
    try {
      return await slots(address, check);
    } catch (thrown) {
      if (hasStatus(thrown, 401)) remember(key, thrown);
      throw thrown;
    } finally {
      add(address, -1);
    }
  };
}
