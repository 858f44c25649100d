import { EMERGENCY_CONDITION } from "../../src/model/emergency.ts";
import { isObject, textOf } from "../../src/model/json.ts";
import type { KubernetesObject } from "../../src/model/kubernetes.ts";
import { fingerprintsIn } from "../certificates/authorities.ts";
import type { MatchCondition } from "./match-conditions.ts";

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

const clientConfigOf = (webhook: unknown): Record<string, unknown> =>
  isObject(webhook) && isObject(webhook["clientConfig"]) ? webhook["clientConfig"] : {};

/** The PEM text of the CAs in a configuration; null if it does not exist. */
export function bundleIn(configuration: KubernetesObject | null): string | null {
  if (configuration === null) return null;
  const [webhook] = webhooksOf(configuration);
  const { caBundle } = clientConfigOf(webhook);
  return Buffer.from(typeof caBundle === "string" ? caBundle : "", "base64").toString();
}

/** The condition of an emergency in a configuration; null without one. */
export function emergencyIn(configuration: KubernetesObject | null): MatchCondition | null {
  const [webhook] = configuration === null ? [] : webhooksOf(configuration);
  const conditions = isObject(webhook) && Array.isArray(webhook["matchConditions"]) ? webhook["matchConditions"] : [];
  const found: unknown = conditions.find((one) => isObject(one) && one["name"] === EMERGENCY_CONDITION);
  return isObject(found) ? { name: EMERGENCY_CONDITION, expression: textOf(found["expression"]) } : null;
}

/**
 * Without what is compared apart. The API server keeps empty selectors in its answers, but a stored object of another client may
 * lack them.
 */
const withoutSelectors = (webhooks: unknown[]): unknown[] =>
  webhooks.map((one) => {
    if (!isObject(one)) return one;
    const { namespaceSelector: _namespaces, objectSelector: _objects, clientConfig: __, ...rest } = one;
    const { caBundle: _caBundle, ...address } = clientConfigOf(one);
    return { ...rest, clientConfig: address };
  });

/** The CAs that a bundle lacks, and those that it has beyond `wanted` and `tolerated`. Fingerprints. */
function difference(wanted: string, tolerated: string, present: string): { missing: string[]; foreign: string[] } {
  const [needed, there] = [fingerprintsIn(wanted), fingerprintsIn(present)];
  if (needed.length === 0) return { missing: wanted === present ? [] : [wanted], foreign: [] };
  const allowed = [...needed, ...fingerprintsIn(tolerated)];
  return {
    missing: needed.filter((one) => !there.includes(one)),
    foreign: there.filter((one) => !allowed.includes(one)),
  };
}

interface Comparison {
  allowSelectors?: boolean;
  /** PEM of CAs that may stay besides those of `wanted`. */
  toleratedCa?: string;
}

function selectorFault(present: KubernetesObject, { allowSelectors = false }: Comparison): string | null {
  if (allowSelectors) return null;
  const excludes = webhooksOf(present).some((one) => isObject(one) && SELECTORS.some((key) => !isEmpty(one[key])));
  return excludes ? "got a selector that excludes objects" : null;
}

/** Why a configuration does not send every object to this webhook; null if it does. */
export function faultOf(
  wanted: KubernetesObject,
  present: KubernetesObject | null,
  comparison: Comparison = {},
): string | null {
  if (present === null) return "was deleted";
  if (!holds(withoutSelectors(webhooksOf(wanted)), webhooksOf(present))) return "was changed";
  if (!holds(wanted.metadata.annotations ?? {}, present.metadata.annotations ?? {})) return "was given to others";
  const { missing, foreign } = differenceOf(wanted, present, comparison);
  if (missing.length > 0 || foreign.length > 0) return "got other CAs";
  return selectorFault(present, comparison);
}

const differenceOf = (wanted: KubernetesObject, present: KubernetesObject, { toleratedCa = "" }: Comparison) =>
  difference(bundleIn(wanted) ?? "", toleratedCa, bundleIn(present) ?? "");

/**
 * Whether a configuration only does not follow the replicas' CAs yet: it lacks none that was in it before, and has none that this
 * process never knew.
 */
export function followsLate(
  wanted: KubernetesObject,
  present: KubernetesObject | null,
  { known, seen }: { known: ReadonlySet<string>; seen: ReadonlySet<string> },
  comparison: Comparison = {},
): boolean {
  if (present === null || faultOf(wanted, present, comparison) !== "got other CAs") return false;
  const { missing, foreign } = differenceOf(wanted, present, comparison);
  return (
    selectorFault(present, comparison) === null &&
    missing.every((one) => !seen.has(one)) &&
    foreign.every((one) => known.has(one))
  );
}
