import type { Condition, KubernetesObject } from "../../model/kubernetes.ts";
import { ANNOTATION } from "../../model/names.ts";

export interface Composition extends KubernetesObject {
  spec: { schedulingTime?: string };
  status?: {
    conditions?: Condition[];
    managed?: { apiVersion: string; resource: string; name: string; namespace: string; path: string }[];
  };
}

/** Reasons that do not change on their own, or not soon. A run that is to end may get another size where there is no capacity. */
const FAILURES = new Set(["ProviderTerminal", "ProviderCapacity"]);
const END_FAILURES = new Set(["ProviderTerminal"]);

const FAILED = "Failed: ";
const wanted = (expected: string[]): string[] =>
  expected.filter((one) => one.startsWith(FAILED)).map((one) => one.slice(FAILED.length));

/** The reason of a failure: the expected one if the provider's message names it, otherwise that of the condition. */
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

const ENDS = ["Deleted", "Completed"] as const;

/** The end of a run that is to be awaited: null while it is open, undefined for an object that is not to end. */
function endOf({ status }: Composition, expected: string[]): string | null | undefined {
  const end = ENDS.find((one) => expected.includes(one));
  if (end === undefined) return undefined;
  const isOver = status?.conditions?.some((one) => one.type === "Completed" && one.status === "True") === true;
  return isOver && (end === "Completed" || status.managed?.length === 0) ? end : null;
}

const isFailure = (ready: Condition | undefined, reasons: ReadonlySet<string>): ready is Condition =>
  ready?.status === "False" && reasons.has(ready.reason);

/** The outcome of an admitted object, or null while that is open. `now` in milliseconds since 1970. */
export function outcomeOf(object: Composition, expected: string[], nowMs: number): string | null {
  if (isScheduled(object, nowMs)) return "Scheduled";
  const ready = readyCondition(object);
  const end = endOf(object, expected);
  if (end !== undefined && end !== null) return end;
  if (ready?.status === "True") return end === undefined ? "Ready" : null;
  return isFailure(ready, end === undefined ? FAILURES : END_FAILURES) ? failureOf(ready, expected) : null;
}

/** The outcome of a denied object: the first code of the message, or the status of the answer. */
export function denialOutcome(status: number, message: string): string {
  const code = /\[([A-Z]+_[A-Z0-9_]+)/.exec(message)?.[1] ?? /\b[A-Z]{2,}_[A-Z0-9_]+\b/.exec(message)?.[0];
  return code === undefined ? `Refused: HTTP ${status}` : `Denied: ${code}`;
}
