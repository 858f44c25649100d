import { isObject } from "../../../model/json.ts";
import type { Condition } from "../../../model/kubernetes.ts";
import type { Resource } from "../../types.ts";
import { classOf, type ErrorClass, type ERROR_CODES } from "./error-classes.ts";
import { isSettling } from "./settling-errors.ts";

export interface Readiness {
  ready: boolean;
  /** The provider gave up: nothing changes until a person changes the object. */
  terminal: boolean;
  /** The provider met an error that it tries to overcome. */
  retrying: boolean;
  /** The provider's own word for the state. */
  reason: string;
  message: string;
  /** A quota or the provider's capacity is exhausted: the operator tries again, and a person can help. */
  capacity: boolean;
  /** RFC 3339: since when, where the provider says it. */
  since: string | null;
  /** A terminal error that may pass, since its operator tries again: it counts once it lasts. */
  settles?: boolean;
  /** Its error is the usual one as long as another resource is not there. */
  waits?: boolean;
  /** The resource that it waits for, where its operator names it. */
  waitsFor?: { kind: string; name: string };
}

export type ProviderCondition = Partial<Condition> & { severity?: string; observedGeneration?: number };

/** How a family of resources says how it is doing. */
export type Rule = (resource: Resource, conditions: ProviderCondition[]) => Readiness;

export const READY: Readiness = {
  ready: true,
  terminal: false,
  retrying: false,
  capacity: false,
  reason: "Ready",
  message: "",
  since: null,
};

/** Not ready, in the words of the condition; `given` says what is known better. */
export function notReady(condition: ProviderCondition | undefined, given: Partial<Readiness> = {}): Readiness {
  const { reason = "", message = "", lastTransitionTime = null } = condition ?? {};
  const words = { reason: reason === "" ? "Creating" : reason, message, since: lastTransitionTime };
  return { ready: false, terminal: false, retrying: false, capacity: false, ...words, ...given };
}

/** How an error that an operator keeps trying to overcome is judged by its class; null leaves the operator's own word. */
export function ofClass(errorClass: ErrorClass | null): Partial<Readiness> {
  if (errorClass === null) return {};
  const [terminal, capacity] = [errorClass === "terminal", errorClass === "capacity"];
  return { terminal, capacity, retrying: !terminal };
}

/** The same by the error's code. What may pass is tried again, and terminal once it lasts. */
export function ofCode(provider: keyof typeof ERROR_CODES, code: string): Partial<Readiness> {
  const known = ofClass(classOf(provider, code));
  return isSettling(provider, code) ? { ...known, settles: true, retrying: true } : known;
}

export const UNSEEN = notReady({ reason: "Pending", message: "its operator has not reported its state yet" });
export const OUTDATED = notReady({ reason: "Pending", message: "its operator has not handled the last change yet" });

export const conditionsOf = (resource: Resource): ProviderCondition[] => {
  const conditions = resource.status?.["conditions"];
  return Array.isArray(conditions) ? conditions.filter(isObject) : [];
};

export const find = (conditions: ProviderCondition[], type: string): ProviderCondition | undefined =>
  conditions.find((condition) => condition.type === type);

export const isTrue = (condition: ProviderCondition | undefined): boolean => condition?.status === "True";

/** A condition about an older generation says nothing about this one. */
function isOutdated(resource: Resource, condition: ProviderCondition): boolean {
  const status = resource.status?.["observedGeneration"];
  const observed = condition.observedGeneration ?? (typeof status === "number" ? status : undefined);
  return observed !== undefined && observed < (resource.metadata.generation ?? 0);
}

/** The state that all families with one condition Ready share; null if the family has to read the reason. */
export function fromReady(resource: Resource, condition: ProviderCondition): Readiness | null {
  if (isOutdated(resource, condition)) return OUTDATED;
  return isTrue(condition) ? READY : null;
}
