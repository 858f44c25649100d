import type { LandfallError } from "../../errors.ts";

/** Whether an answer with this HTTP status may be another one later. */
export const isPassingStatus = (status: number): boolean => status === 429 || status === 408 || status >= 500;

/** A failure of a request that may be temporary. */
export class Passing extends Error {
  readonly error: LandfallError;
  /** Seconds that the service asks to wait. */
  readonly pause: number;

  constructor(error: LandfallError, pause = 0) {
    super(error.message, { cause: error });
    this.error = error;
    this.pause = pause;
  }
}
