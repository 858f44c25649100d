import { LandfallError } from "../../../errors.ts";
import type { Call } from "./call.ts";

/** Why an attempt failed, and whether another one makes sense. Internal to the client. */
export class Failure extends Error {
  readonly error: LandfallError;
  /** The next attempt may succeed. */
  readonly passing: boolean;
  /** Elemento certainly did nothing. */
  readonly untouched: boolean;
  /** Milliseconds that Elemento asks the client to wait. */
  readonly pauseMs: number;

  constructor(error: LandfallError, { passing = false, untouched = false, pauseMs = 0 } = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.passing = passing;
    this.untouched = untouched;
    this.pauseMs = pauseMs;
  }
}

/** The error for the caller: for a call that must not be repeated, whether it may have taken effect. */
export function asCallerSees({ operation, repeatable }: Call<unknown>, { error, untouched }: Failure): LandfallError {
  if (repeatable || untouched) return error;
  return new LandfallError("ELEMENTO_UNCERTAIN", { operation, reason: "Uncertain", detail: error.message }, error);
}
