import type { ProviderCondition, Readiness, Rule } from "./state.ts";
import { type GoogleText, readGoogleText } from "./google-text.ts";
import { PAUSED_BY } from "../../claims/owned-marks.ts";
import type { Resource } from "../../types.ts";
import { find, fromReady, isTrue, notReady, ofCode, UNSEEN } from "./state.ts";

const WAITS = new Set(["DependencyNotReady", "DependencyNotFound"]);
const GIVEN_UP = new Set(["DependencyInvalid", "ManagementConflict"]);
const FAILED = /Failed$/;

/**
 * Errors that a retry meets again, by the messages of the Google API (409 and 429 pass) and of the Terraform provider. That one looks up short
 * names of images itself (`services/compute/image.go`), and sends paths and links as they stand: Google then refuses the path, or the field.
 */
const REFUSALS: readonly (readonly [pattern: RegExp, reason: string | null])[] = [
  [/could not find image or family/i, "ImageNotFound"],
  [/googleapi: Error 403\b[^]{0,200}\/global\/images\//, "ImageForbidden"],
  [/googleapi: Error (?:400|404)\b[^]{0,200}(?:\/global\/images\/|\bsourceImage\b)/, "ImageNotFound"],
  [/googleapi: Error (?:400|401|403|404|412)\b/, null],
  [/cannot make changes to immutable field/, "ImmutableField"],
  [/required field is not set/, "RequiredFieldMissing"],
  // `expandScheduling` of its services/compute/compute_instance_helpers.go.
  [/\bis not supported by terraform\b/, "NotSupported"],
  // Of the operator's own login with workload identity (google-github-actions/auth, issue 340).
  [/\biam\.serviceAccounts\.getAccessToken' denied\b/, "Forbidden"],
];

/**
 * Errors that end without a change, by the code and the words. GKE does one thing at a time with a cluster (hashicorp/terraform-provider-google, issues 3650
 * and 10366). A fingerprint is of what someone changed in the meantime (`FINGERPRINT_FAIL_ERRORS` of that provider). Other preconditions have
 * the same codes and stay, such as the policy of an organisation.
 */
const PASSING: readonly (readonly [code: string, words: RegExp])[] = [
  ["FailedPrecondition", /\bis currently \w|\bincompatible operation\b/],
  ["ConditionNotMet", /\bfingerprint\b/i],
];

const passes = ({ code, words }: GoogleText): boolean =>
  PASSING.some(([passing, pattern]) => code === passing && pattern.test(words));

/**
 * Compute Engine's code of an operation that found no capacity, or no free address in the subnetwork (GoogleCloudPlatform/cluster-toolkit,
 * issue 2389; of GKE hashicorp/terraform-cdk, issue 1964); it stands within the text.
 */
const EXHAUSTED =
  /\b(?:(?:ZONE_RESOURCE_POOL|IP_SPACE)_EXHAUSTED(?:_WITH_DETAILS)?|(?:GCE_)?STOCKOUT|QUOTA_EXCEEDED)\b/;

/** Compute Engine's messages about the same; the second form in kubeflow/pipelines, issue 673. */
const NO_RESOURCES = /does not have enough resources available to fulfill (?:the )?request/;

/**
 * A quota in words, where an operation fails after its call was accepted (hashicorp/terraform-provider-google, issue 20573), and as GKE
 * says it, with the HTTP status 403 and the word `forbidden`.
 */
const QUOTA = /\bQuota '[\w-]{1,100}' exceeded|\b[Ii]nsufficient (?:regional|project) quota\b/;

function exhausted(message: string): string | null {
  const code = EXHAUSTED.exec(message)?.[0];
  if (code !== undefined) return code;
  if (NO_RESOURCES.test(message)) return "ZONE_RESOURCE_POOL_EXHAUSTED";
  return QUOTA.test(message) ? "QuotaExceeded" : null;
}

/** An error of the API, judged by its code where the table has it, otherwise by the kind of its refusal. */
function refused(condition: ProviderCondition, reason: string, message: string): Readiness {
  const text = readGoogleText(message);
  const refusal = passes(text) ? undefined : REFUSALS.find(([pattern]) => pattern.test(message));
  const code = refusal?.[1] ?? exhausted(message) ?? text.code ?? reason;
  const state = { terminal: refusal !== undefined, retrying: refusal === undefined, reason: code };
  return notReady(condition, { ...state, message: text.words, ...ofCode("gcp", code) });
}

function failure(condition: ProviderCondition): Readiness {
  const { reason = "", message = "" } = condition;
  if (WAITS.has(reason)) return notReady(condition);
  if (!FAILED.test(reason)) return notReady(condition, { terminal: GIVEN_UP.has(reason) });
  return refused(condition, reason, message);
}

/**
 * One that is paused: by its annotation, or for its namespace or the cluster. The condition may be of an older generation, and the operator
 * looks at no other. Nothing happens until a person ends the pause, also no deletion.
 */
function paused({ metadata: { annotations = {} } }: Resource, condition: ProviderCondition): Readiness {
  const isOwn = annotations[PAUSED_BY] === "Paused";
  const by = isOwn
    ? `the annotation ${PAUSED_BY}: remove it`
    : "actuationMode of its ConfigConnectorContext or ConfigConnector";
  return notReady(condition, { terminal: true, message: `Config Connector is paused by ${by}` });
}

/** Config Connector never gives up, so a refusal by the API is recognised by its message. */
export const google: Rule = (resource, conditions) => {
  const condition = find(conditions, "Ready");
  if (condition?.reason === "Paused" && !isTrue(condition)) return paused(resource, condition);
  if (condition) return fromReady(resource, condition) ?? failure(condition);
  const unmanaged = find(conditions, "Unmanaged");
  return unmanaged ? notReady(unmanaged, { retrying: true, reason: "Unmanaged" }) : UNSEEN;
};
