import { hasStatus } from "./client/api-error.ts";

/** Tries until no one else writes at the same moment. */
const TRIES = 3;

/** Does `work`, which reads an object and writes it back, again after a conflict (409); after `most` tries, it throws the conflict. */
export async function retryConflicts<T>(work: () => Promise<T>, most = TRIES): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (thrown) {
      if (!hasStatus(thrown, 409) || tries === most) throw thrown;
    }
  }
}
