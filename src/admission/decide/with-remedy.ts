import { describe, type ErrorCode, ERRORS } from "../../errors.ts";
import type { Denial } from "../../model/decision.ts";
import type { PolicyDenial } from "../../model/policy.ts";

/** The object itself cannot ask for less than one object. */
const FULL = "delete an object that you no longer need, or ask the platform team for a larger quota";

/**
 * The remedy of a quota's denial where the registry's does not fit. A cluster has no size of its own: its pools have. Without anything left,
 * no lower size helps.
 */
function quotaRemedy({ field, allowed }: PolicyDenial): string | null {
  if (field === "metadata.namespace") return FULL;
  if (field !== "spec.nodePools") return null;
  if (typeof allowed !== "number" || allowed <= 0) return FULL;
  const less = `lower count, max, cpu or memory of nodePools until all pools at their largest need at most ${String(allowed)}`;
  return `${less}, ${FULL}`;
}

const OMIT_VERSION = "omit kubernetesVersion, or choose another provider";

/** The remedies where the rule lists nothing that is allowed. */
const WITHOUT_LIST: Readonly<Partial<Record<ErrorCode, string>>> = {
  POL_FEATURE: "choose another provider, or omit the feature",
  POL_IMAGE: "choose another os or image",
  POL_KUBERNETES_ENDED: OMIT_VERSION,
  POL_KUBERNETES_VERSION: OMIT_VERSION,
  POL_LATENCY: "omit schedulingLocation or maxLatency",
  POL_ZONE: "omit zones",
  POL_UNKNOWN_PROVIDER: "ask the platform team to allow a provider for this namespace",
};

/** A cluster names the types of its pools in a map. */
const poolTypeRemedy = ({ code, field, allowed }: PolicyDenial): string | null =>
  code === "POL_INSTANCE_TYPE" && field?.startsWith("spec.poolInstanceTypes.") === true
    ? `omit poolInstanceTypes, or name one with at least ${String(allowed)}`
    : null;

/** Of a cluster for which no region fits, the rule says for each provider how many zones it takes. */
const zonesRemedy = ({ code, field, allowed }: PolicyDenial): string | null =>
  code === "POL_ZONE" && typeof allowed === "string" && / takes \d/.test(allowed)
    ? `omit ${field ?? "spec.zones"}, or write as many as a provider takes: ${allowed}`
    : null;

const ASK = "ask the platform team what is allowed here";

/** A place or a provider that takes no zones, and no other one. */
const NO_ZONES = /^(?:[a-z]{1,20} takes )?no zones(?:, because [^;,]{1,80})?$/;

/** Whether a rule lists nothing: `none`, or a provider without its versions, is nothing as well. */
const listsNothing = ({ code, allowed }: PolicyDenial): boolean =>
  allowed === null ||
  (typeof allowed === "string" &&
    (allowed.trim() === "" ||
      allowed === "none" ||
      (code.startsWith("POL_KUBERNETES_") && !/\d/.test(allowed)) ||
      (code === "POL_ZONE" && NO_ZONES.test(allowed))));

/** The remedy where the registry's would name an empty list. */
function remedyWithoutList(entry: PolicyDenial, code: ErrorCode): string | null {
  if (!ERRORS[code].remedy.includes("{allowed}") || !listsNothing(entry)) return null;
  // An empty text is an answer: no provider is left. Null: the rule looked for none.
  if (code === "POL_FEATURE" && entry.allowed === "")
    return "omit the feature: no provider has all that the object asks for";
  return WITHOUT_LIST[code] ?? ASK;
}

/** The remedy where the registry's does not fit; null elsewhere. */
const specialRemedy = (entry: PolicyDenial, code: ErrorCode): string | null =>
  (code === "POL_QUOTA" ? quotaRemedy(entry) : null) ??
  zonesRemedy(entry) ??
  poolTypeRemedy(entry) ??
  remedyWithoutList(entry, code);

/** A policy's denial with the registry's remedy if the code is Landfall's own. */
export function withRemedy(entry: PolicyDenial): Denial {
  const team = entry.source;
  // Of what comes of a team's rules, only the texts about places are Landfall's own.
  if (team !== undefined && !/^(?:PLACEMENT_NONE|POL_PLACE_REFUSED)$/.test(entry.code))
    return { ...entry, remedy: `ask the team of bundle ${team} about this rule` };
  if (!(entry.code in ERRORS)) return { ...entry, remedy: "ask the platform team about this rule" };
  const code = entry.code as ErrorCode;
  const special = specialRemedy(entry, code);
  if (special !== null) return { ...entry, remedy: special };
  const { remedy } = describe(code, {
    field: entry.field ?? "",
    actual: entry.actual ?? "",
    allowed: entry.allowed ?? "",
  });
  return { ...entry, remedy };
}
