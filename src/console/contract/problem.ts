import { type Of, oneOf, record, text } from "./schema.ts";

/**
 * Kinds of failures, which decide the state of the page. `session`: the address of the console is needed again; `forbidden`: the
 * API server refuses this user; `credentials`: it does not know them; `away`: it does not answer; `absent`: there is no such object; `command`: a command said why it failed.
 */
const PROBLEM_KINDS = [
  "session",
  "forbidden",
  "credentials",
  "away",
  "absent",
  "request",
  "command",
  "failed",
] as const;

/** The answer to a request that failed. */
const PROBLEM = record({ kind: oneOf(PROBLEM_KINDS), code: text, message: text, remedy: text });
export type Problem = Of<typeof PROBLEM>;
