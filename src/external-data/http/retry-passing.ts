import { DelegateBackoff, handleWhen, retry, type RetryPolicy } from "cockatiel";
import { Passing } from "./passing.ts";

const FIRST_PAUSE_MS = 200;

export interface RetryOptions {
  /** How often a request is sent again. */
  retries: number;
  /** Seconds: after a request to wait longer, the failure counts immediately. */
  longestPause: number;
}

/** Repeats what failed with `Passing`, after pauses that double or that the service asks for. */
export function retryPassing({ retries, longestPause }: RetryOptions): RetryPolicy {
  return retry(
    handleWhen((thrown) => thrown instanceof Passing && thrown.pause <= longestPause),
    {
      maxAttempts: retries,
      backoff: new DelegateBackoff(({ attempt, result }) => {
        const asked = "error" in result && result.error instanceof Passing ? result.error.pause * 1000 : 0;
        return Math.max(asked, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }),
    },
  );
}
