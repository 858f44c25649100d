import { ANNOTATION, COMPOSITION_FINALIZER } from "../../src/model/names.ts";

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
/** Written by controllers and clients; no rule reads them (src/admission/decide/policy-input.ts) but the pause, which ends a wait. */
const UNREAD_ANNOTATION = `(${KRATEO} && k != '${ANNOTATION.paused}') || k == 'kubectl.kubernetes.io/last-applied-configuration'`;

const kept = [
  `object.?spec.orValue({}) == oldObject.?spec.orValue({})`,
  same("labels", KRATEO),
  same("annotations", `(${UNREAD_ANNOTATION})`),
  // Admission puts back what a replacement of the object removes.
  `${mapOf("oldObject", "labels")}.all(k, k in ${mapOf("object", "labels")})`,
  `(!('${COMPOSITION_FINALIZER}' in oldObject.metadata.?finalizers.orValue([])) || ` +
    `'${COMPOSITION_FINALIZER}' in object.metadata.?finalizers.orValue([]))`,
].join(" && ");

/**
 * When the API server calls the webhooks. Updates that no decision and no rule reads pass without a call, so that a webhook that does
 * not answer stops no deletion and no controller.
 */
export const MATCH_CONDITIONS: readonly MatchCondition[] = [
  {
    name: "not-being-deleted",
    expression: "request.operation == 'CREATE' || !has(oldObject.metadata.deletionTimestamp)",
  },
  { name: "changes-what-is-decided", expression: `request.operation == 'CREATE' || !(${kept})` },
];
