import type { IRetryBackoffContext } from "cockatiel";
import { DelegateBackoff, handleWhen, retry } from "cockatiel";
import type { Call } from "./call.ts";
import type { ClientOptions } from "../client-options.ts";
import { asCallerSees, Failure } from "./failure.ts";

/** A longer pause is the caller's to wait for. */
export const LONGEST_PAUSE_MS = 10_000;

/** Waits for the pause that Elemento asked for, or twice as long as the last time, give or take a half. */
const backoff = (firstPauseMs: number) =>
  new DelegateBackoff(({ attempt, result }: IRetryBackoffContext<unknown>) => {
    const asked = "error" in result && result.error instanceof Failure ? result.error.pauseMs : 0;
    return Math.max(asked, firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
  });

const mayPass = (call: Call<unknown>, failure: Failure): boolean =>
  failure.passing && failure.pauseMs <= LONGEST_PAUSE_MS && (call.repeatable || failure.untouched);

export interface RepeatOptions extends Pick<ClientOptions, "retries" | "firstPauseMs"> {
  /** Ends repetitions. */
  readonly signal: AbortSignal;
}

/** Attempts a call, again where that is safe and may help. Throws the last failure as its caller is to see it. */
export async function repeatCall<T>(
  call: Call<unknown>,
  options: RepeatOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const policy = retry(
    handleWhen((thrown) => thrown instanceof Failure && !options.signal.aborted && mayPass(call, thrown)),
    { maxAttempts: options.retries, backoff: backoff(options.firstPauseMs) },
  );
  try {
    return await policy.execute(attempt);
  } catch (thrown) {
    throw thrown instanceof Failure ? asCallerSees(call, thrown) : thrown;
  }
}
