import { clusterContext } from "../../../src/external-data/cluster-context.ts";
import { admit } from "../../../src/admission/admit.ts";
import { guard } from "../../../src/admission/guard.ts";
import type {
  AdmissionContext,
  AdmissionRequest,
  Ask,
  DecisionContext,
  NeedsAdvice,
  NeedsBatch,
  Outcome,
  Unfinished,
} from "../../../src/admission/types.ts";
import type { Decided } from "../../../src/decision-log/build-event.ts";
import { LandfallError } from "../../../src/errors.ts";
import { type ClusterEvent, type ClusterData } from "../../../src/external-data/cluster-data.ts";
import type { Claim } from "../../../src/external-data/ledger/ledger-entry.ts";
import { GUARD_SECONDS } from "../../../src/external-data/ledger/shard-rules.ts";
import type { ForecastBook } from "../../../src/model/places/forecast.ts";
import type { KeyRing } from "../../../src/model/decision-annotation/key-ring.ts";
import type { LoadedBundle } from "../../../src/policy/loaded-bundle.ts";
import { confirms } from "../../../src/admission/update/confirm.ts";
import type { Authentication } from "../../../src/model/caller.ts";
import { type Claimed, claimOf } from "./claim-of.ts";
import { figuresOf } from "./figures-of.ts";
import { noteLimits } from "./note-limits.ts";
import { stageTimes, stagesOf } from "./stage-times.ts";
import { answerProbe } from "./answer-probe.ts";
import { undisclosed } from "./undisclosed.ts";
import {
  askedKey,
  confirm,
  keyOf,
  keysOf,
  refuseCrowd,
  type Reserved,
  refuseUnseen,
  refuseUnstored,
  reserve,
} from "./reserve.ts";
import { refuseUnstorable } from "./refuse-unstorable.ts";
import { answerReview, type PlacedFigures, refusal, type Reply, type ReviewPath } from "../../review/answer-review.ts";

/** The inputs of decisions. */
export interface AnswerInput {
  /** The active bundle; null before the first one is loaded. */
  policy: LoadedBundle | null;
  clusterData: ClusterData;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** Forecasts of the coming hours; null without forecast sources. */
  forecasts: () => ForecastBook | null;
  keys: () => KeyRing;
  /** The time that this thread has computed for, in ms: limits the search for remedies. */
  usedMs?: () => number;
  /** Whether answers have the times of their stages. */
  traced?: boolean;
}

/** The answers that an unfinished decision needed, and how the caller was authenticated. */
export interface Settled extends Pick<DecisionContext, "advice" | "plan"> {
  /** How the caller was authenticated; by its certificate if omitted. */
  authentication?: Authentication | undefined;
  /** When it was first asked, in seconds since 1970; now if omitted. */
  nowSeconds?: number;
}

/** The answers of both webhooks: path and body in, HTTP answer out. */
export interface Answers {
  (path: ReviewPath, body: string, settled: Settled & { ask: "advice" }): AnsweredReply | NeedsAdvice;
  (path: ReviewPath, body: string, settled: Settled & { ask: "batch" }): AnsweredReply | NeedsBatch;
  (path: ReviewPath, body: string, settled?: Settled): AnsweredReply;
}

/** An answer, and what else came of it. */
export interface AnsweredReply extends Reply {
  reserved: ClusterEvent | null;
  /** The entry that the other replicas need before this is answered; null for none. */
  claim: Claim | null;
  /** For the decision log; null if nothing was decided. */
  decided: Omit<Decided, "milliseconds"> | null;
}

/** The decision log's record of an outcome; null for a change without a decision. */
function describe(
  { uid, operation, object }: AdmissionRequest,
  outcome: Outcome,
  at: Pick<Decided, "dryRun" | "nowSeconds" | "namespace"> & { policy: LoadedBundle },
): AnsweredReply["decided"] {
  if (outcome.allowed && outcome.decision === null) return null;
  const { dryRun, nowSeconds, namespace, policy } = at;
  const codes = outcome.allowed ? [] : outcome.codes;
  // No object can have this metadata: the log is not the place to write it to.
  const isNoObject = codes.some((code) => code === "ADM_METADATA" || code === "ADM_NAME_TOO_LONG");
  const logged = isNoObject ? { ...object, metadata: {}, spec: {} } : object;
  const decision = isNoObject ? null : outcome.decision;
  const bundle = { digest: policy.digest, revision: policy.revision };
  return {
    uid,
    operation,
    dryRun,
    object: logged,
    namespace,
    nowSeconds,
    decision,
    codes,
    bundle,
    others: policy.others,
  };
}

/** The answer that the decision may ask for. A batch is made of objects that are created now, and finally. */
const asksFor = (ask: Ask | undefined, { operation }: AdmissionRequest, dryRun: boolean): Ask | undefined =>
  ask === "batch" && (dryRun || operation !== "CREATE") ? undefined : ask;

/** The request as it is judged: provisional if no one authenticated its caller, unless a controller confirms the stored object. */
function judged(
  request: AdmissionRequest,
  authentication: Authentication | undefined,
  keys: KeyRing,
  at: number,
): AdmissionRequest {
  const isConfirmation = confirms(request, keys, at);
  if (authentication !== "none" && !isConfirmation) return request;
  return { ...request, provisional: authentication === "none" && !isConfirmation, confirms: isConfirmation };
}

/** The answer to an unauthenticated caller. */
const shownTo = (
  request: AdmissionRequest,
  outcome: Outcome,
  context: AdmissionContext,
  authentication: Authentication | undefined,
): Outcome =>
  outcome.allowed
    ? answerProbe(outcome, request, authentication, context.policy.expires)
    : undisclosed(outcome, request, context);

/** Makes the answers of both webhooks. They are synchronous. Nothing comes of a request that is not finished yet. */
export function makeAnswers({
  policy,
  clusterData,
  nowSeconds,
  forecasts,
  keys,
  usedMs,
  traced = false,
}: AnswerInput): Answers {
  function contextOf(
    { kind, object }: AdmissionRequest,
    key: string,
    bundle: LoadedBundle,
    settled: Settled & { nowSeconds: number },
  ): AdmissionContext {
    return {
      ...{ policy: bundle, keys: keys(), owners: clusterData.owners, forecasts: forecasts() },
      ...clusterContext(clusterData, { key, kind, object }, settled.nowSeconds),
      ...{ ...settled, usedMs },
    };
  }
  const noted = policy === null ? null : noteLimits(policy);
  const unstorable = refuseUnstorable(clusterData);
  const refuseUndecided = (key: string, request: AdmissionRequest, at: number): LandfallError | null =>
    unstorable(key, request) ?? refuseCrowd(clusterData, request, at);
  /** Reserves it, if its namespace may: an error refuses it. Returns what the other replicas have to know of it. */
  function take(claimed: Claimed, at: number): LandfallError | Claim | null {
    const { next } = claimed;
    const claim = claimOf(claimed);
    const held = refuseUnseen(clusterData, next, at) ?? refuseUnstored(clusterData, next, at);
    if (held === null && next !== null) clusterData.apply(next);
    return held ?? claim;
  }
  function mutate(
    body: string,
    { ask, authentication, ...settled }: Settled & { ask?: Ask },
  ): AnsweredReply | Unfinished {
    let reserved: ClusterEvent | null = null;
    let claim: Claim | null = null;
    let decided: AnsweredReply["decided"] = null;
    let placed: PlacedFigures | null = null;
    const stages = stageTimes(traced);
    noted?.begin();
    const reply = answerReview<Unfinished>(body, (asking, dryRun) => {
      stages.ended("decode");
      if (noted === null) return refusal(new LandfallError("BUNDLE_NONE"));
      const at = settled.nowSeconds ?? nowSeconds();
      const request = judged(asking, authentication, keys(), at);
      const key = askedKey(request, { keys: keys(), owners: clusterData.owners, nowSeconds: at });
      const found = contextOf(request, key, noted.policy, { ...settled, nowSeconds: at });
      const context = { ...found, measure: stages.measure };
      const lasts = !dryRun && request.provisional !== true;
      const refused = lasts ? refuseUndecided(key, request, at) : null;
      if (refused !== null) return refusal(refused);
      const outcome = admit(request, context, asksFor(ask, request, dryRun));
      stages.ended("decide");
      if ("state" in outcome) return outcome;
      if (request.provisional === true) return shownTo(request, outcome, context, authentication);
      const next = lasts ? reserve(keyOf(key, request, outcome), request, outcome, at) : null;
      const taken = take({ request, next, context, limits: noted.limits(), counted: clusterData.counted() }, at);
      stages.ended("reserve");
      if (taken instanceof LandfallError) return refusal(taken);
      [reserved, claim] = [next, taken];
      placed = figuresOf(request, outcome);
      decided = describe(request, outcome, {
        dryRun,
        nowSeconds: at,
        namespace: context.namespace,
        policy: noted.policy,
      });
      return answerProbe(outcome, request, authentication, noted.policy.expires);
    });
    if ("state" in reply) return reply;
    const figures = { policyMs: noted?.policyMs() ?? 0, placed };
    return { ...reply, ...stagesOf(stages), figures, reserved, claim, decided };
  }
  function validate(body: string, { authentication }: Settled): AnsweredReply {
    let reserved: Reserved | null = null;
    const stages = stageTimes(traced);
    const reply = answerReview<never>(body, (request, dryRun) => {
      stages.ended("decode");
      const outcome = guard(request, { keys: keys(), owners: clusterData.owners, nowSeconds: nowSeconds() });
      stages.ended("decide");
      reserved = dryRun || authentication === "none" ? null : confirm(request, outcome, nowSeconds());
      if (reserved === null) return outcome;
      if (clusterData.isLate(keysOf(reserved), nowSeconds(), GUARD_SECONDS)) {
        const { kind, name } = reserved.workload;
        reserved = null;
        return refusal(new LandfallError("ADM_RESERVATION_LATE", { kind, name }));
      }
      clusterData.apply(reserved);
      return outcome;
    });
    return { ...reply, ...stagesOf(stages), reserved, claim: null, decided: null };
  }
  function answer(path: ReviewPath, body: string, settled: Settled & { ask: "advice" }): AnsweredReply | NeedsAdvice;
  function answer(path: ReviewPath, body: string, settled: Settled & { ask: "batch" }): AnsweredReply | NeedsBatch;
  function answer(path: ReviewPath, body: string, settled?: Settled): AnsweredReply;
  function answer(path: ReviewPath, body: string, settled: Settled & { ask?: Ask } = {}): AnsweredReply | Unfinished {
    return path === "/mutate" ? mutate(body, settled) : validate(body, settled);
  }
  return answer;
}
