import { LandfallError } from "../../../errors.ts";
import type { Call } from "./call.ts";

/** Why one attempt failed, and what that means for another one. Stays within the client. */
export class Failure extends Error {
  readonly error: LandfallError;
  /** May be gone with the next attempt. */
  readonly passing: boolean;
  /** Elemento certainly did nothing. */
  readonly untouched: boolean;
  /** Milliseconds that Elemento asks for. */
  readonly pauseMs: number;

  constructor(error: LandfallError, { passing = false, untouched = false, pauseMs = 0 } = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.passing = passing;
    this.untouched = untouched;
    this.pauseMs = pauseMs;
  }
}

/** What the caller is to know: of a call that must not be done twice, whether it may have been done. */
export function asCallerSees({ operation, repeatable }: Call<unknown>, { error, untouched }: Failure): LandfallError {
  if (repeatable || untouched) return error;
  return new LandfallError("ELEMENTO_UNCERTAIN", { operation, reason: "Uncertain", detail: error.message }, error);
}
