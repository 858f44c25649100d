import type { IRetryBackoffContext } from "cockatiel";
import { DelegateBackoff, handleWhen, retry } from "cockatiel";
import type { Call } from "./call.ts";
import type { ClientOptions } from "../client-options.ts";
import { asCallerSees, Failure } from "./failure.ts";

/** The caller handles longer pauses. */
export const LONGEST_PAUSE_MS = 10_000;

/** The pause that Elemento asks for, or exponential backoff with jitter of one half. */
const backoff = (firstPauseMs: number) =>
  new DelegateBackoff(({ attempt, result }: IRetryBackoffContext<unknown>) => {
    const asked = "error" in result && result.error instanceof Failure ? result.error.pauseMs : 0;
    return Math.max(asked, firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random()));
  });

const mayPass = (call: Call<unknown>, failure: Failure): boolean =>
  failure.passing && failure.pauseMs <= LONGEST_PAUSE_MS && (call.repeatable || failure.untouched);

export interface RepeatOptions extends Pick<ClientOptions, "retries" | "firstPauseMs"> {
  /** Aborts repetitions. */
  readonly signal: AbortSignal;
}

/** Attempts a call, and repeats it if that is safe and useful. Throws the last failure in the form for the caller. */
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
