import { count, type Of, oneOf, orNull, record, text } from "./schema.ts";

/**
 * Kinds of failures, which decide the state of the page. `session`: the address of the console is needed again; `forbidden`: the
 * API server refuses this user; `credentials`: it does not know them; `away`: it does not answer; `busy`: it wants to be asked again later; `absent`: there is no
 * such object; `command`: a command said why it failed.
 */
const PROBLEM_KINDS = [
  "session",
  "forbidden",
  "credentials",
  "away",
  "busy",
  "absent",
  "request",
  "command",
  "failed",
] as const;

/** The answer to a request that failed. `againSeconds`: when to ask again, if the API server says it. */
const PROBLEM = record({
  ...{ kind: oneOf(PROBLEM_KINDS), code: text, message: text, remedy: text },
  againSeconds: orNull(count),
});
export type Problem = Of<typeof PROBLEM>;
