import { LandfallError, messageOf } from "../../errors.ts";
import { failureClass } from "../api/failure-class.ts";
import type { Saying } from "../step/step.ts";

export interface FailureAnswer {
  readonly say: Saying;
  /** Ms until the next attempt; null for the queue's backoff. */
  readonly againMs: number | null;
}

/** Errors of the object or its account: an attempt fails until one of them changes. */
const LASTING = new Set([
  "ELEMENTO_ACCOUNT",
  "ELEMENTO_SECRET",
  "ELEMENTO_TENANT",
  "ELEMENTO_FOREIGN",
  "ELEMENTO_CIDR",
  "REL_PATH",
]);

/** Lists follow late: what one still shows can be gone, and what another shows is perhaps missing. */
const PASSING = new Set(["ELEMENTO_NOT_FOUND", "ELEMENTO_IN_USE", "ELEMENTO_TOO_EARLY"]);

/** Elemento's own reason, or the one of the error code. */
const reasonOf = (code: string): string =>
  (code === "REL_PATH" ? "INVALID_NAME" : code)
    .replace(/^ELEMENTO_/, "")
    .toLowerCase()
    .replace(/(^|_)([a-z])/g, (_match, _gap, letter: string) => letter.toUpperCase());

/** A failure's consequences for the object: whether and when to retry, and the condition's text. */
function reasonIn(thrown: unknown): string {
  if (!(thrown instanceof LandfallError)) return "Unexpected";
  const { reason } = thrown.params;
  return typeof reason === "string" && /^[A-Z][A-Za-z0-9]{0,79}$/.test(reason) ? reason : reasonOf(thrown.code);
}

/** The consequence of a failure for the object: whether it is tried again, when, and what people read. */
export function explainFailure(thrown: unknown): FailureAnswer {
  const code = thrown instanceof LandfallError ? thrown.code : "UNEXPECTED";
  const [reason, message] = [reasonIn(thrown), messageOf(thrown)];
  // Someone has to do something; the message says what.
  const advice = thrown instanceof LandfallError ? `${message}; ${thrown.remedy}` : message;
  if (LASTING.has(code)) return { say: { severity: "Error", reason, message: advice }, againMs: 30_000 };
  if (PASSING.has(code)) return { say: { severity: "Warning", reason, message }, againMs: null };
  switch (failureClass(thrown)) {
    case "terminal":
      // All objects of an account meet this one: each waits longer and longer, as long as the login is refused.
      if (code === "ELEMENTO_LOGIN") return { say: { severity: "Error", reason, message: advice }, againMs: null };
      // Not never: what the account may do and what is in the way can change without the object.
      return { say: { severity: "Error", reason, message: advice }, againMs: 120_000 };
    case "capacity":
      return { say: { severity: "Warning", reason, message }, againMs: 30_000 };
    default:
      return { say: { severity: "Warning", reason, message }, againMs: null };
  }
}
