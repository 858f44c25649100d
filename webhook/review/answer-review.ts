import { performance } from "node:perf_hooks";
import type { AdmissionRequest, Cause, Denied, Outcome, Unfinished } from "../../src/admission/types.ts";
import { asLandfallError, type ErrorCode, LandfallError, messageOf } from "../../src/errors.ts";
import { decisionId } from "../../src/model/decision-annotation/compact-decision.ts";
import { neutralise, neutraliseLine } from "../../src/model/text/neutralise.ts";
import { table } from "../../src/model/table.ts";
import { readReview, type Review, UnanswerableReview } from "./read-review.ts";

/** kubectl prints each warning on a line; the API server truncates longer ones. */
const WARNING_LIMIT = 256;

/** A Kubernetes Status, as far as the API server passes it on. */
interface ReviewStatus {
  code: number;
  reason: string;
  message: string;
  /** The API server makes a Retry-After header of the seconds, which clients follow. kubectl prints the causes. */
  details?: { retryAfterSeconds: number } | { kind: string; name: string; causes: Cause[] };
}

export interface ReviewAnswer {
  apiVersion: "admission.k8s.io/v1";
  kind: "AdmissionReview";
  response: {
    uid: string;
    allowed: boolean;
    patchType?: "JSONPatch";
    /** base64 of the JSON */
    patch?: string;
    warnings?: string[];
    status?: ReviewStatus;
    auditAnnotations?: Record<string, string>;
  };
}

const audit = (outcome: Outcome): Record<string, string> | undefined =>
  outcome.decision === null ? undefined : { decision: outcome.decision.id, bundle: outcome.decision.policy.digest };

/** Refusals that end on their own, and after how many seconds a client may try again. */
const RETRY_SECONDS = table({
  ADM_BUSY: 1,
  ADM_SOURCE_BUSY: 1,
  ADM_OLD_OBJECT: 1,
  ADM_RESTARTING: 2,
  ADM_STARTING: 1,
  ADM_NAMESPACE_UNKNOWN: 1,
  ADM_NAMESPACE_HELD: 30,
  ADM_OWNER_HELD: 30,
  ADM_USER_HELD: 30,
  ADM_UNSEEN: 5,
  ADM_LEDGER: 1,
  ADM_LEDGER_LOST: 5,
  ADM_NAME_EXISTS: 1,
  ADM_RESERVATION_LATE: 1,
  ADM_UNSTORED: 30,
  POL_QUOTA_STALE: 5,
  POL_TEAM_SLOW: 30,
} satisfies Partial<Record<ErrorCode, number>>);

/** When a request that is denied for these reasons may be repeated; undefined if one of them stays. */
function retryAfter(codes: readonly string[]): number | undefined {
  const seconds = codes.map((code) => RETRY_SECONDS[code] ?? Number.NaN);
  const most = Math.max(0, ...seconds);
  return most > 0 ? most : undefined;
}

/** kubectl prints messages and causes as they are. */
function statusOf({ message: said, causes, decision, codes }: Denied): ReviewStatus {
  const message = neutralise(said);
  if (causes !== undefined) {
    const { kind = "", name = "" } = decision?.object ?? {};
    const shown = causes.map((cause) => ({
      ...cause,
      field: neutraliseLine(cause.field),
      message: neutralise(cause.message),
    }));
    return { code: 422, reason: "Invalid", message, details: { kind, name, causes: shown } };
  }
  // As the API server says it: clients then read the object again, and a repetition fails again.
  if (codes.includes("ADM_CONFLICT")) return { code: 409, reason: "Conflict", message };
  if (codes.includes("ADM_EXISTS")) return { code: 409, reason: "AlreadyExists", message };
  const retryAfterSeconds = retryAfter(codes);
  if (retryAfterSeconds === undefined) return { code: 403, reason: "Forbidden", message };
  return { code: 429, reason: "TooManyRequests", message, details: { retryAfterSeconds } };
}

/** The AdmissionReview that answers `uid`. */
function writeReview(uid: string, outcome: Outcome): ReviewAnswer {
  const response: ReviewAnswer["response"] = { uid, allowed: outcome.allowed };
  const auditAnnotations = audit(outcome);
  if (auditAnnotations !== undefined) response.auditAnnotations = auditAnnotations;
  if (!outcome.allowed) {
    response.status = statusOf(outcome);
  } else {
    if (outcome.warnings.length > 0)
      response.warnings = outcome.warnings.map((text) => neutraliseLine(text).slice(0, WARNING_LIMIT));
    if (outcome.patch.length > 0) {
      response.patchType = "JSONPatch";
      response.patch = Buffer.from(JSON.stringify(outcome.patch)).toString("base64");
    }
  }
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}

export type ReviewPath = "/mutate" | "/validate";

/** The HTTP answer to one AdmissionReview. */
export interface Reply {
  status: number;
  /** JSON */
  body: string;
  /** Fields of the log line; null for a review that needed no decision. */
  log: Record<string, unknown> | null;
  /** For the metrics; omitted if nothing was decided. */
  figures?: DecidedFigures;
  /** For traces; omitted if there are none. */
  stages?: StageTime[];
}

/** When a stage began and ended, by uptimeMs. `sign` is a part of `decide`; `claim` waits for the other replicas. */
export interface StageTime {
  stage: "decode" | "decide" | "sign" | "reserve" | "claim";
  beganMs: number;
  endedMs: number;
}

/** Counts the answer to one review, which took this long. `parent`: the `traceparent` header of an API server; omitted for none. */
export type NoteAdmission = (path: ReviewPath, reply: Reply, seconds: number, parent?: string) => void;

/** The figures of one decision. */
export interface DecidedFigures {
  /** Ms that the policy took. */
  policyMs: number;
  /** The figures of a new object; null for a change, a dry run and a denial. */
  placed: PlacedFigures | null;
}

/** Carbon and list price of a run, or of one hour of a machine without an end. Null where they are not known. */
export interface PlacedFigures {
  provider: string;
  per: "run" | "hour";
  grams: number | null;
  /** Those of the same machine started immediately at the origin. */
  baselineGrams: number | null;
  usd: number | null;
  /** Of the type that the rules choose at the origin; null also if they do not allow the origin. */
  baselineUsd: number | null;
}

/** Answers a review that could be read: with an outcome, or with what the decision needs before it is finished. */
export type Answer<Pending> = (request: AdmissionRequest, dryRun: boolean) => Outcome | Pending;

/** The denial for a failure: the user then reads its remedy instead of the API server's text. */
export function refusal(error: LandfallError): Denied {
  const { code, params, line } = error;
  const denied: Denied = { allowed: false, message: line, codes: [code], decision: null };
  if (code === "POL_TEAM") denied.failedTeam = String(params["bundle"]);
  return denied;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (thrown) {
    throw new LandfallError("ADM_NOT_A_REVIEW", { detail: messageOf(thrown) }, thrown);
  }
}

function answered<Pending>(answer: Answer<Pending>, review: Review, request: AdmissionRequest): Outcome | Pending {
  try {
    return answer(request, review.dryRun);
  } catch (thrown) {
    return refusal(asLandfallError(thrown));
  }
}

function logFields(admission: AdmissionRequest, outcome: Outcome, milliseconds: number): Record<string, unknown> {
  const { kind, operation, uid, object } = admission;
  const { name, namespace } = object.metadata;
  // A change that is not decided has the decision of the object.
  const decision = outcome.decision?.id ?? decisionId(object);
  const codes = outcome.allowed ? undefined : outcome.codes;
  const ms = Math.round(milliseconds * 100) / 100;
  const failedTeam = outcome.allowed ? undefined : outcome.failedTeam;
  return { uid, kind, operation, namespace, name, allowed: outcome.allowed, codes, failedTeam, decision, ms };
}

const reply = (uid: string, outcome: Outcome, log: Reply["log"] = null): Reply => ({
  status: 200,
  body: JSON.stringify(writeReview(uid, outcome)),
  log,
});

/** The HTTP answer that refuses the review of this uid. */
export function refuseReview(uid: string, error: LandfallError): Reply {
  return { ...reply(uid, refusal(error)), log: { uid, allowed: false, codes: [error.code] } };
}

const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  403: "Forbidden",
  413: "RequestEntityTooLarge",
  429: "TooManyRequests",
};

/** The answer to what is not reviewed, as a Status of Kubernetes: of other bodies, the API server tells its users "unknown". */
export function errorReply({ line }: LandfallError, status: number): Reply {
  const about = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure" };
  const body = { ...about, message: neutralise(line), reason: REASONS[status] ?? "InternalError", code: status };
  return { status, body: JSON.stringify(body), log: null };
}

function readBody(body: string): Review | Reply {
  try {
    return readReview(parse(body));
  } catch (thrown) {
    if (thrown instanceof UnanswerableReview) return reply(thrown.uid, refusal(thrown.reason));
    const error = asLandfallError(thrown);
    return errorReply(error, error.code === "ADM_NOT_A_REVIEW" ? 400 : 500);
  }
}

/**
 * Answers the text of an AdmissionReview with the text of another, or with what the decision needs before it is finished.
 * Every failure inside is a denial with a code.
 */
export function answerReview<Pending extends Unfinished>(body: string, answer: Answer<Pending>): Reply | Pending {
  const began = performance.now();
  const review = readBody(body);
  if ("status" in review) return review;
  if (review.request === null) return reply(review.uid, { allowed: true, patch: [], warnings: [], decision: null });
  const outcome = answered(answer, review, review.request);
  if ("state" in outcome) return outcome;
  return reply(review.uid, outcome, logFields(review.request, outcome, performance.now() - began));
}
