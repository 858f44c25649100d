import type { ErrorCode } from "../../../errors.ts";
import { LandfallError } from "../../../errors.ts";

/**
 * What a failed call asks of its caller:
 * `retry`: the same call may pass later; `uncertain`: it may have been done, so look before the next attempt;
 * `capacity`: nobody has room or the account's limit is reached: retry, but rarely; `terminal`: the same call fails again.
 */
export type FailureClass = "retry" | "uncertain" | "capacity" | "terminal";

const CLASSES = {
  ELEMENTO_AWAY: "retry",
  ELEMENTO_BUSY: "retry",
  ELEMENTO_FAILED: "retry",
  ELEMENTO_ANSWER: "retry",
  ELEMENTO_SESSION: "retry",
  ELEMENTO_TOO_EARLY: "retry",
  ELEMENTO_IN_USE: "retry",
  ELEMENTO_UNCERTAIN: "uncertain",
  ELEMENTO_CAPACITY: "capacity",
  ELEMENTO_LOGIN: "terminal",
  ELEMENTO_FORBIDDEN: "terminal",
  ELEMENTO_REFUSED: "terminal",
  ELEMENTO_CONFLICT: "terminal",
  ELEMENTO_NOT_FOUND: "terminal",
} as const satisfies Partial<Record<ErrorCode, FailureClass>>;

export type ElementoCode = keyof typeof CLASSES;

export const isElementoCode = (code: string): code is ElementoCode => Object.hasOwn(CLASSES, code);

/** The class of what a call of the client threw; what did not come from the client is worth another attempt. */
export const failureClass = (thrown: unknown): FailureClass =>
  thrown instanceof LandfallError && isElementoCode(thrown.code) ? CLASSES[thrown.code] : "retry";
