import { type CompactDecision, readDecision } from "../model/decision-annotation/compact-decision.ts";
import { stripDecision } from "../model/decision-annotation/strip-decision.ts";
import { checkAlone } from "../admission/decide/decide.ts";
import { decideHere, neededGains } from "../admission/update/reconsider.ts";
import type { DecisionRequest } from "../admission/types.ts";
import { worthMoving } from "../admission/update/worth-moving.ts";
import type { WorkloadObject } from "../model/workload.ts";
import { type ClusterData, workloadKey } from "../external-data/cluster-data.ts";
import { vmNameOf } from "../model/read-workload.ts";
import type { Decision } from "../model/decision.ts";
import type { ForecastBook } from "../model/forecast.ts";
import { isKind, type Kind } from "../model/names.ts";
import { formatTime, parseTime } from "../model/time.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Finding } from "./finding.ts";
import { placeName } from "../model/place-name.ts";

export interface AuditContext {
  policy: LoadedBundle;
  clusterData: ClusterData;
  /** The forecasts; null for climatology alone. */
  forecasts: ForecastBook | null;
  /** Seconds since 1970. */
  nowSeconds: number;
}

const placeOf = (placement: Decision["placement"]): string | null => (placement === null ? null : placeName(placement));

type Answer = Pick<Finding, "verdict" | "codes" | "message" | "to" | "gramsSaved">;

const STAY: Answer = { verdict: "stay", codes: [], message: "", to: null, gramsSaved: null };

const hundredths = (grams: number): number => Math.round(grams * 100) / 100;

interface Asked {
  request: DecisionRequest;
  object: WorkloadObject;
  earlier: CompactDecision;
}

/** The present values of the fields that admission wrote. */
const valuesOf = ({ object, earlier }: Asked): Record<string, unknown> =>
  Object.fromEntries(earlier.written.map((field) => [field, object.spec?.[field]]));

/** The grams that one decision saves against another; null if either is unknown. */
function saving(here: Decision, again: Decision): number | null {
  const [gramsHere, gramsAgain] = [here.placement?.gramsCO2 ?? null, again.placement?.gramsCO2 ?? null];
  return gramsHere === null || gramsAgain === null ? null : gramsHere - gramsAgain;
}

/** A waiting object: whether the controller will move it, by the controller's own rule. */
function judgeWaiting(asked: Asked, here: Decision): Answer {
  const { request, earlier } = asked;
  const again = checkAlone(request);
  if (again.placement === null) return STAY;
  const moves = earlier.moves ?? [];
  const compared = {
    here,
    again: again.placement,
    minimumGain: neededGains(request).move,
    moves,
    nowSeconds: request.nowSeconds,
  };
  const { move, text } = worthMoving(compared);
  if (move === null) return STAY;
  const grams = saving(here, again);
  const gramsSaved = grams === null ? null : hundredths(grams);
  return { ...STAY, verdict: "move", message: text, to: placeOf(again.placement), gramsSaved };
}

/** Whether a run that begins now would miss its deadline. */
function endsLate({ object }: DecisionRequest, { placement }: Decision): boolean {
  const deadline = object.spec?.["deadline"];
  const [end, latest] = [placement?.end ?? null, typeof deadline === "string" ? parseTime(deadline) : null];
  return end !== null && latest !== null && (parseTime(end) ?? 0) > latest;
}

/** A running object: compares the emissions of the rest of its run here with a whole run elsewhere. */
function judgeRunning({ request }: Asked, here: Decision): Answer {
  const again = checkAlone({ ...request, started: true });
  const to = placeOf(again.placement);
  const saved = saving(here, again) ?? 0;
  if (to === null || to === placeOf(here.placement) || endsLate(request, again) || saved <= 0) return STAY;
  const share = saved / (here.placement?.gramsCO2 ?? saved);
  if (share < neededGains(request).recreate) return STAY;
  const message = `${to} would emit ${String(Math.round(share * 100))} % less`;
  return { ...STAY, verdict: "move-on-recreate", message, to, gramsSaved: hundredths(saved) };
}

/** The rest of a run as a spec would request it; null if it is over. */
function restOf({ request, earlier }: Asked): DecisionRequest | null {
  const end = earlier.placement.end === null ? null : parseTime(earlier.placement.end);
  if (end === null) return request;
  const seconds = end - request.nowSeconds;
  if (seconds <= 0) return null;
  const spec = { ...request.object.spec, duration: `${String(seconds)}s` };
  return { ...request, object: { ...request.object, spec } };
}

function judge(asked: Asked, started: boolean): Answer {
  const { request, earlier } = asked;
  const rest = started ? restOf(asked) : request;
  const start = started ? formatTime(request.nowSeconds) : earlier.placement.start;
  const placement = { ...earlier.placement, start };
  const here = decideHere(rest ?? request, { placement, values: valuesOf(asked), pending: !started });
  if (!here.allowed) return denied(here);
  if (rest === null) return STAY;
  return started ? judgeRunning(asked, here) : judgeWaiting(asked, here);
}

function denied({ denials }: Decision): Answer {
  const codes = [...new Set(denials.map(({ code }) => code))];
  return { ...STAY, verdict: "deny", codes, message: denials[0]?.message ?? "" };
}

/** An undecided object: whether it would be denied. */
function judgeUndecided(request: DecisionRequest): Answer {
  const decision = checkAlone({ ...request, started: true });
  return decision.allowed ? { ...STAY, verdict: "undecided" } : denied(decision);
}

function requestOf(kind: Kind, object: WorkloadObject, context: AuditContext): DecisionRequest {
  const { policy, clusterData, forecasts, nowSeconds } = context;
  const { namespace = "default", name = "" } = object.metadata;
  const key = workloadKey(kind, namespace, name);
  return {
    ...{ kind, policy, nowSeconds, operation: "UPDATE", object: stripDecision(object), forecasts },
    namespace: clusterData.namespace(namespace),
    relatedWorkloads: clusterData.around({ key, namespace, vmName: vmNameOf(kind, object) }, nowSeconds),
    placed: () => clusterData.workloads(nowSeconds, key),
  };
}

/** The audit of an existing object by the present bundle; null if Landfall does not decide it. Changes nothing. */
export function auditObject(object: WorkloadObject, context: AuditContext): Finding | null {
  const { kind } = object;
  if (!isKind(kind)) return null;
  const { namespace = "default", name = "" } = object.metadata;
  const earlier = readDecision(object);
  const start = earlier === null ? null : parseTime(earlier.placement.start);
  const started = start === null || start <= context.nowSeconds;
  const request = requestOf(kind, object, context);
  const answer = earlier === null ? judgeUndecided(request) : judge({ request, object, earlier }, started);
  const place = earlier === null ? null : placeOf(earlier.placement);
  return { ...{ kind, namespace, name }, ...answer, place, started };
}
