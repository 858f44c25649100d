import { ANNOTATION, COMPOSITION_FINALIZER, DELETION_POLICY } from "../../src/model/names.ts";

export interface MatchCondition {
  name: string;
  /** CEL */
  expression: string;
}

const mapOf = (object: string, field: string): string => `${object}.metadata.?${field}.orValue({})`;

/** Equal, except for keys that `others` accepts: these may be added and changed. */
const same = (field: string, others: string): string => {
  const [now, old] = [mapOf("object", field), mapOf("oldObject", field)];
  return (
    `${now}.all(k, ${others} || (k in ${old} && ${old}[k] == ${now}[k])) && ` +
    `${old}.all(k, ${others} || k in ${now})`
  );
};

const KRATEO = "k.startsWith('krateo.io/')";
/** Krateo's annotations that rules or admission read: the pause, which ends a wait, and what a deletion leaves. */
const READ = [ANNOTATION.paused, DELETION_POLICY].map((name) => `k != '${name}'`).join(" && ");
/** Written by controllers and clients; no rule reads them (src/admission/decide/policy-input.ts). */
const UNREAD_ANNOTATION = `(${KRATEO} && ${READ}) || k == 'kubectl.kubernetes.io/last-applied-configuration'`;

const kept = [
  `object.?spec.orValue({}) == oldObject.?spec.orValue({})`,
  same("labels", KRATEO),
  same("annotations", `(${UNREAD_ANNOTATION})`),
  // Admission puts back what a replacement of the object removes.
  `${mapOf("oldObject", "labels")}.all(k, k in ${mapOf("object", "labels")})`,
  `(!('${COMPOSITION_FINALIZER}' in oldObject.metadata.?finalizers.orValue([])) || ` +
    `'${COMPOSITION_FINALIZER}' in object.metadata.?finalizers.orValue([]))`,
].join(" && ");

const STAYS = "!has(oldObject.metadata.deletionTimestamp)";

/** The fields by which an object counts in quotas and budgets, and what its deletion leaves. */
const COUNTED = [
  "spec",
  ...[ANNOTATION.decision, ANNOTATION.seal, DELETION_POLICY].map((name) => `metadata.?annotations[?'${name}']`),
];
/** Missing on both sides is equal, too. */
const unchanged = (path: string): string => `object.?${path} == oldObject.?${path}`;

/**
 * When the API server calls the webhooks. Updates that no decision and no rule reads pass without a call, so that a webhook that does
 * not answer stops no deletion and no controller.
 */
export const MATCH_CONDITIONS: readonly MatchCondition[] = [
  { name: "not-being-deleted", expression: `request.operation == 'CREATE' || ${STAYS}` },
  { name: "changes-what-is-decided", expression: `request.operation == 'CREATE' || !(${kept})` },
];

/** The guard is called as well if what counts for others, or what stays, changes on an object that is being deleted; its finalizers do not. */
export const GUARD_CONDITIONS: readonly MatchCondition[] = MATCH_CONDITIONS.map((condition) =>
  condition.name === "not-being-deleted"
    ? { ...condition, expression: `${condition.expression} || !(${COUNTED.map(unchanged).join(" && ")})` }
    : condition,
);
