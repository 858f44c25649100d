import { hasStatus } from "./client/api-error.ts";

/** Tries until no one else writes at the same moment. */
const TRIES = 3;

/** Does `work`, which reads an object and writes it back, again after a conflict (409); after three, it throws the conflict. */
export async function retryConflicts(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (thrown) {
      if (!hasStatus(thrown, 409) || tries === TRIES) throw thrown;
    }
  }
}
