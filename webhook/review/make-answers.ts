import type { KeyObject } from "node:crypto";
import { admit } from "../../src/admission/admit.ts";
import { guard } from "../../src/admission/guard.ts";
import type { AdmissionContext, AdmissionRequest, Outcome } from "../../src/admission/outcome.ts";
import type { Decided } from "../../src/decision-log/build-event.ts";
import { isGathered, type Together } from "../../src/admission/decide/batch.ts";
import { LandfallError } from "../../src/errors.ts";
import { type ClusterEvent, type ClusterData, workloadKey } from "../../src/external-data/cluster-data.ts";
import { readWorkload, vmNameOf } from "../../src/external-data/read-workload.ts";
import type { Advice, Advise, SchedulerQuestion } from "../../src/model/advice.ts";
import type { ForecastBook } from "../../src/model/forecast.ts";
import { parseTime } from "../../src/model/time.ts";
import type { LoadedBundle } from "../../src/policy/loaded-bundle.ts";
import { answerReview, refusal, type Reply, type ReviewPath } from "./answer-review.ts";

/** An object that was admitted and does not show up in this time, in seconds, was refused by somebody after us. */
const RESERVED_SECONDS = 30;

/** What decisions are made of, whatever thread they are made on. */
export interface AnswerDeps {
  /** The bundle that answers; null before the first one is loaded. */
  policy: LoadedBundle | null;
  facts: ClusterData;
  /** Seconds since 1970. */
  nowSeconds: () => number;
  /** What is known of the coming hours; null where no source of forecasts is set up. */
  forecasts: () => ForecastBook | null;
  sealKey: KeyObject;
}

/** A question to a scheduler outside that came up in a decision, and what it said; null before it was asked. */
export interface Consult {
  question: SchedulerQuestion | null;
  advice: Advice | null;
}

/** Who besides the policies has a say in a decision. */
export interface Others {
  /** A scheduler outside. */
  consult?: Consult | undefined;
  /** Objects that are admitted at the same moment. */
  together?: Together | undefined;
}

/** A decision that has to be made again when the scheduler has answered. */
export const isWaiting = ({ question, advice }: Consult): boolean => question !== null && advice === null;

type Reservation = Extract<ClusterEvent, { type: "reservation" }>;

/** What an allowed request will add to the cluster: it counts from now on, or a second one would take the same room. */
function reservation(key: string, request: AdmissionRequest, outcome: Outcome, nowSeconds: number): Reservation | null {
  const placement = outcome.allowed ? (outcome.decision?.placement ?? null) : null;
  if (placement === null) return null;
  const { pricePerHour, provider, region, start, end } = placement;
  const workload = {
    ...readWorkload(request.kind, request.object),
    ...{ pricePerHour, place: `${provider}/${region}` },
    start: parseTime(start),
    end: end === null ? null : parseTime(end),
  };
  return { type: "reservation", key, workload, until: nowSeconds + RESERVED_SECONDS };
}

/** An answer, and what else came of it. */
export interface AnsweredReply extends Reply {
  reserved: ClusterEvent | null;
  /** For the decision log; null where nothing was decided. */
  decided: Omit<Decided, "milliseconds"> | null;
}

/** What the decision log tells of an outcome; null for a change that no decision depends on. */
function describe(
  { uid, operation, object }: AdmissionRequest,
  outcome: Outcome,
  at: Pick<Decided, "dryRun" | "nowSeconds" | "namespace"> & { policy: LoadedBundle },
): AnsweredReply["decided"] {
  if (outcome.allowed && outcome.decision === null) return null;
  const { dryRun, nowSeconds, namespace, policy } = at;
  const codes = outcome.allowed ? [] : outcome.codes;
  const bundle = { digest: policy.digest, revision: policy.revision };
  return {
    uid,
    operation,
    dryRun,
    object,
    namespace,
    nowSeconds,
    decision: outcome.decision,
    codes,
    bundle,
    others: policy.others,
  };
}

const adviser =
  (consult: Consult): Advise =>
  (question) => {
    consult.question = question;
    return consult.advice;
  };

/** Their say, as a decision takes it. A batch is made of what is created now, and for good. */
function sayOf(
  { consult, together }: Others,
  { operation }: AdmissionRequest,
  dryRun: boolean,
): Pick<AdmissionContext, "advise" | "together"> {
  const joins = together !== undefined && !dryRun && operation === "CREATE";
  return { ...(consult === undefined ? {} : { advise: adviser(consult) }), ...(joins ? { together } : {}) };
}

/** Whether the decision has to be made again when others have had their say. */
const isUnfinished = ({ consult, together }: Others): boolean =>
  (consult !== undefined && isWaiting(consult)) || (together !== undefined && isGathered(together));

/**
 * The answers of both webhooks: path and body in, HTTP answer out. Synchronous. An answer that waits for a scheduler outside
 * (`isWaiting`) or for the rest of its batch (`isGathered`) is to be thrown away, nothing came of it.
 */
export function makeAnswers({
  policy,
  facts,
  nowSeconds,
  forecasts,
  sealKey,
}: AnswerDeps): (path: ReviewPath, body: string, others?: Others) => AnsweredReply {
  function mutate(body: string, others: Others): AnsweredReply {
    let reserved: ClusterEvent | null = null;
    let decided: AnsweredReply["decided"] = null;
    const reply = answerReview(body, (request, dryRun) => {
      if (policy === null) return refusal(new LandfallError("BUNDLE_NONE"));
      const { namespace = "default", name } = request.object.metadata;
      const key = workloadKey(request.kind, namespace, name ?? request.uid);
      const asked = { key, namespace, vmName: vmNameOf(request.kind, request.object) };
      const at = others.together?.nowSeconds ?? nowSeconds();
      const outcome = admit(request, {
        ...{ policy, sealKey, nowSeconds: at, namespace: facts.namespace(namespace), forecasts: forecasts() },
        facts: facts.around(asked, at),
        placed: () => facts.workloads(at, key),
        ...sayOf(others, request, dryRun),
      });
      if (isUnfinished(others)) return outcome;
      reserved = dryRun ? null : reservation(key, request, outcome, at);
      if (reserved !== null) facts.apply(reserved);
      decided = describe(request, outcome, { dryRun, nowSeconds: at, namespace: facts.namespace(namespace), policy });
      return outcome;
    });
    return { ...reply, reserved, decided };
  }
  return (path, body, others = {}) =>
    path === "/mutate"
      ? mutate(body, others)
      : { ...answerReview(body, (request) => guard(request, { sealKey })), reserved: null, decided: null };
}
