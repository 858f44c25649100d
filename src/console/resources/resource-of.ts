import { isObject, stringOf } from "../../model/json.ts";
import { type Condition, conditionsOf, type Resource } from "../../model/kubernetes.ts";
import type { ManagedResource, ProviderCondition } from "../contract/resources.ts";

/** An entry of `status.managed`, unchecked: anyone who can write the status can write anything there. */
export interface Entry {
  apiVersion: string;
  resource: string;
  name: string;
  namespace: string;
  path: string;
}

/** An entry with what the API server says of it. `hidden`: the user is not allowed to read it; `unread`: it was not asked for, or is too large. */
export interface Read {
  entry: Entry;
  live: Resource | "hidden" | "unread" | null;
}

const idOf = ({ resource, namespace, name }: Pick<Entry, "resource" | "namespace" | "name">): string =>
  [resource, namespace, name].join("/");

/** Conditions that say that an operator is done: those of ASO and Config Connector, and that of ACK. */
const DONE: ReadonlySet<string> = new Set(["Ready", "ACK.ResourceSynced"]);
/** Conditions of ACK that are bad if they hold. */
const BAD: ReadonlySet<string> = new Set(["ACK.Terminal", "ACK.Recoverable"]);
const BAD_REASON = /fail|error|invalid|denied|terminal/i;
/** Reasons for which ASO waits for others: it calls that a warning as well. */
const WAITS: ReadonlySet<string> = new Set([
  "WaitingForOwner",
  "ReferenceNotFound",
  "SecretNotFound",
  "ConfigMapNotFound",
]);

type Reported = Condition & { severity?: unknown };

function isBad({ type, status, reason, severity }: Reported): boolean {
  if (BAD.has(type)) return status === "True";
  if (status !== "False" || !DONE.has(type)) return false;
  // ASO: an error that it gives up at, and one after which it tries again.
  if (severity === "Warning") return !WAITS.has(reason);
  return severity === "Error" || BAD_REASON.test(reason);
}

const conditionOf = (condition: Reported): ProviderCondition => ({
  ...{ type: condition.type, status: stringOf(condition.status), reason: stringOf(condition.reason) },
  ...{ message: stringOf(condition.message), since: stringOf(condition.lastTransitionTime) },
  isBad: isBad({ ...condition, reason: stringOf(condition.reason) }),
});

function stateOf(live: Read["live"], conditions: readonly ProviderCondition[]): ManagedResource["state"] {
  if (live === null) return "absent";
  if (live === "hidden") return "hidden";
  if (live === "unread") return "unknown";
  if (conditions.some((condition) => condition.isBad)) return "failing";
  const done = conditions.filter(({ type }) => DONE.has(type));
  if (done.length === 0) return "unknown";
  return done.every(({ status }) => status === "True") ? "ready" : "waiting";
}

/** Keys under which operators name other resources: owner and reference of ASO, xRef and xRefs of ACK and Config Connector. */
const REFERENCE = /(?:^owner|[rR]ef(?:erence)?s?)$/;
/** Deepest level of a spec that is searched. */
const DEEPEST = 12;

/** The names that a spec refers to. */
function namesIn(value: unknown, isReference: boolean, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, isReference, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (isReference && key === "name" && typeof inner === "string") return [inner];
    return namesIn(inner, REFERENCE.test(key) || (isReference && key === "from"), depth + 1);
  });
}

/** The provider's own id, from where operators write it. */
function providerIdOf({ status = {} }: Resource): string | null {
  const metadata = status["ackResourceMetadata"];
  const found = [status["id"], isObject(metadata) ? metadata["arn"] : null, status["selfLink"], status["instanceID"]];
  return found.find((one): one is string => typeof one === "string" && one !== "") ?? null;
}

/** The resources of an object, each with the conditions of its operator and the others that it needs. Pure. */
export function resourcesOf(read: readonly Read[]): ManagedResource[] {
  const byName = Map.groupBy(read, ({ entry }) => entry.name);
  return read.map(({ entry, live }) => {
    const object = typeof live === "string" ? null : live;
    const conditions = object === null ? [] : conditionsOf(object).map(conditionOf);
    const id = idOf(entry);
    const names = object === null ? [] : namesIn(object.spec, false);
    const needs = new Set(names.flatMap((name) => (byName.get(name) ?? []).map((one) => idOf(one.entry))));
    needs.delete(id);
    const { apiVersion, resource, name, namespace } = entry;
    return {
      ...{ id, apiVersion, resource, kind: object?.kind ?? resource, name, namespace, conditions, needs: [...needs] },
      state: stateOf(live, conditions),
      providerId: object === null ? null : providerIdOf(object),
    };
  });
}
