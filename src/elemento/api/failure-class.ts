import type { ErrorCode } from "../../errors.ts";
import { LandfallError } from "../../errors.ts";

/**
 * How to react to a failed call. `retry`: the same call may succeed later. `uncertain`: it may have taken effect, so
 * look before the next attempt. `capacity`: no one has capacity or the account's limit is reached, so retry rarely.
 * `terminal`: the same call fails again.
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
  ELEMENTO_KUBECONFIG: "terminal",
  ELEMENTO_NOT_FOUND: "terminal",
} as const satisfies Partial<Record<ErrorCode, FailureClass>>;

export type ElementoCode = keyof typeof CLASSES;

export const isElementoCode = (code: string): code is ElementoCode => Object.hasOwn(CLASSES, code);

/** The class of an error. An error that is not from the client is worth a retry. */
export const failureClass = (thrown: unknown): FailureClass =>
  thrown instanceof LandfallError && isElementoCode(thrown.code) ? CLASSES[thrown.code] : "retry";
