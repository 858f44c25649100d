import type { Condition, KubernetesObject } from "../../model/kubernetes.ts";
import { ANNOTATION } from "../../model/names.ts";

export interface Composition extends KubernetesObject {
  spec: { schedulingTime?: string };
  status?: {
    conditions?: Condition[];
    managed?: { apiVersion: string; resource: string; name: string; namespace: string; path: string }[];
  };
}

/** Reasons that do not change without the user. */
const TERMINAL = new Set(["ProviderTerminal"]);

const FAILED = "Failed: ";
const wanted = (expected: string[]): string[] =>
  expected.filter((one) => one.startsWith(FAILED)).map((one) => one.slice(FAILED.length));

/** The reason of a failure: the expected one if the provider's message names it, else that of the condition. */
function failureOf(condition: Condition, expected: string[]): string {
  const named = wanted(expected).find((reason) => condition.reason === reason || condition.message.includes(reason));
  return `${FAILED}${named ?? condition.reason}`;
}

export const readyCondition = (object: Composition): Condition | undefined =>
  object.status?.conditions?.find(({ type }) => type === "Ready");

function isScheduled(object: Composition, nowMs: number): boolean {
  const start = Date.parse(object.spec.schedulingTime ?? "");
  return object.metadata.annotations?.[ANNOTATION.paused] === "true" && start > nowMs;
}

/** What an object that was let in has ended as, or null while that is open. `now` in milliseconds since 1970. */
export function outcomeOf(object: Composition, expected: string[], nowMs: number): string | null {
  if (isScheduled(object, nowMs)) return "Scheduled";
  const ready = readyCondition(object);
  if (ready?.status === "True") return "Ready";
  if (ready?.status === "False" && TERMINAL.has(ready.reason)) return failureOf(ready, expected);
  return null;
}

/** What an object that was not let in has ended as: the first code of the message, or the status of the answer. */
export function denialOutcome(status: number, message: string): string {
  const code = /\[([A-Z]+_[A-Z0-9_]+)/.exec(message)?.[1] ?? /\b[A-Z]{2,}_[A-Z0-9_]+\b/.exec(message)?.[0];
  return code === undefined ? `Refused: HTTP ${status}` : `Denied: ${code}`;
}
