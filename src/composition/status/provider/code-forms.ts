/**
 * The consequences of an error of a provider's API for an object:
 *
 * - `terminal`: the same request fails again until someone changes the object, the account or its rights.
 * - `capacity`: a quota or the provider's capacity is exhausted. The operator tries again, and may succeed without a change.
 * - `retryable`: the operator tries again, and usually succeeds.
 *
 * Operators do not tell these apart: ACK reports all of an Instance's errors as recoverable, and Config Connector never gives up.
 */
export type ErrorClass = "terminal" | "capacity" | "retryable";

/** Codes of a provider's errors, by what becomes of them. */
export type Codes = Readonly<Record<ErrorClass, readonly string[]>>;

/** EC2 has a code of this form for each of its quotas; the table has those that are met most. */
const LIMIT = /^[A-Z]\w{0,80}LimitExceeded$/;

/** EC2's code for each id of a resource that cannot be one. */
const MALFORMED = /^Invalid\w{1,80}\.Malformed$/;

/** Azure's code for each of its limits of a kind of resource, such as `StaticPublicIPCountLimitReached` (coreos/tectonic-installer, issue 1454). */
const REACHED = /^[A-Z]\w{0,80}CountLimitReached$/;

/** The class of a code by its form, where its provider has one for such codes; null for none. */
export function classByForm(provider: string, code: string): ErrorClass | null {
  if (provider === "azure") return REACHED.test(code) ? "capacity" : null;
  if (provider !== "aws") return null;
  if (MALFORMED.test(code)) return "terminal";
  return LIMIT.test(code) ? "capacity" : null;
}
