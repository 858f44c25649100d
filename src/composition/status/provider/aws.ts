import type { ProviderCondition, Readiness, Rule } from "./state.ts";
import { find, isTrue, notReady, READY, UNSEEN } from "./state.ts";

/** The code before a message: `VcpuLimitExceeded` of `api error VcpuLimitExceeded: You have…`. */
const codeIn = (message = ""): string | null =>
  /(?:^|api error |\s)([A-Z][A-Za-z0-9]{4,100}(?:\.[A-Z][A-Za-z]{1,100}){0,3}): /.exec(message)?.[1] ?? null;

const failed = (condition: ProviderCondition, given: Partial<Readiness>, otherwise: string): Readiness =>
  notReady(condition, { ...given, reason: condition.reason ?? codeIn(condition.message) ?? otherwise });

/** What the conditions say about an error, null where they say nothing. */
function errorOf(conditions: ProviderCondition[]): Readiness | null {
  const terminal = find(conditions, "ACK.Terminal");
  if (terminal && isTrue(terminal)) return failed(terminal, { terminal: true }, "Terminal");
  const recoverable = find(conditions, "ACK.Recoverable");
  if (recoverable && isTrue(recoverable)) return failed(recoverable, { retrying: true }, "Recoverable");
  const references = find(conditions, "ACK.ReferencesResolved");
  return references && !isTrue(references) ? failed(references, {}, "WaitingForReferences") : null;
}

/**
 * AWS Controllers for Kubernetes: conditions have no generation, and Unknown is not ready. Older runtimes write
 * ACK.ResourceSynced only, newer ones Ready too: all that is there has to be True.
 */
export const aws: Rule = (_, conditions) => {
  const terminal = find(conditions, "ACK.Terminal");
  const states = ["ACK.ResourceSynced", "Ready"].map((type) => find(conditions, type)).filter((c) => c !== undefined);
  if (states.length > 0 && states.every(isTrue) && !isTrue(terminal)) return READY;
  const error = errorOf(conditions);
  if (error) return error;
  return states.length > 0 ? notReady(states.find((state) => !isTrue(state))) : UNSEEN;
};
