import { isObject } from "../../src/model/json.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";

/** Whether everything in `wanted` is in `present`. Of lists, every item, and no other: a selector or condition more may exclude objects. */
function holds(wanted: unknown, present: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) && wanted.length === present.length && wanted.every((one, at) => holds(one, present[at]))
    );
  if (!isObject(wanted)) return wanted === present;
  return isObject(present) && Object.entries(wanted).every(([key, value]) => holds(value, present[key]));
}

const SELECTORS = ["namespaceSelector", "objectSelector"] as const;

const isEmpty = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.keys(value).length === 0);

const webhooksOf = (configuration: KubernetesObject): unknown[] => {
  const { webhooks } = configuration as { webhooks?: unknown };
  return Array.isArray(webhooks) ? webhooks : [];
};

/** The API server keeps empty selectors in its answers, but a stored object of another client may lack them. */
const withoutSelectors = (webhooks: unknown[]): unknown[] =>
  webhooks.map((one) => {
    if (!isObject(one)) return one;
    const { namespaceSelector: _namespaces, objectSelector: _objects, ...rest } = one;
    return rest;
  });

/** Why a configuration does not send every object to this webhook; null if it does. */
export function faultOf(
  wanted: KubernetesObject,
  present: KubernetesObject | null,
  { allowSelectors = false }: { allowSelectors?: boolean } = {},
): string | null {
  if (present === null) return "was deleted";
  if (!holds(withoutSelectors(webhooksOf(wanted)), webhooksOf(present))) return "was changed";
  if (allowSelectors) return null;
  const excludes = webhooksOf(present).some((one) => isObject(one) && SELECTORS.some((key) => !isEmpty(one[key])));
  return excludes ? "got a selector that excludes objects" : null;
}
