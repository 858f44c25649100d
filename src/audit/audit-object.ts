import { type CompactDecision, readDecision } from "../model/decision-annotation/compact-decision.ts";
import { stripDecision } from "../model/decision-annotation/strip-decision.ts";
import { checkAlone } from "../admission/decide/decide.ts";
import { type Decided, decideHere, neededGains, weighMove } from "../admission/update/reconsider/reconsider.ts";
import type { DecisionRequest } from "../admission/types.ts";
import { withParts } from "../admission/update/planned-parts.ts";
import { placeName, type WorkloadObject } from "../model/workload.ts";
import { clusterContext } from "../external-data/cluster-context.ts";
import { type ClusterData, workloadKey } from "../external-data/cluster-data.ts";
import type { Decision, Placement } from "../model/decision.ts";
import type { ForecastBook } from "../model/places/forecast.ts";
import { isKind, type Kind } from "../model/names.ts";
import { runHours } from "../model/runs/run-times.ts";
import { formatTime, HOUR_SECONDS, parseTime } from "../model/time.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Finding } from "./finding.ts";

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

type Parts = NonNullable<Placement["segments"]>;

const hundredths = (grams: number): number => Math.round(grams * 100) / 100;

interface Asked {
  request: DecisionRequest;
  object: WorkloadObject;
  earlier: CompactDecision;
}

/** The present values of the fields that admission wrote. */
const valuesOf = ({ object, earlier }: Asked): Decided["values"] =>
  Object.fromEntries(earlier.written.map((field) => [field, object.spec?.[field]]));

/** The grams that one decision saves against another; null if either is unknown. */
function saving(here: Decision, again: Decision): number | null {
  const [gramsHere, gramsAgain] = [here.placement?.gramsCO2 ?? null, again.placement?.gramsCO2 ?? null];
  return gramsHere === null || gramsAgain === null ? null : gramsHere - gramsAgain;
}

/** A waiting object: whether the controller will move it, by the controller's own rule. */
function judgeWaiting(asked: Asked): Answer {
  const { request, earlier } = asked;
  const again = checkAlone(request);
  const values = valuesOf(asked);
  if (again.placement === null) {
    const kept = decideHere(request, { placement: earlier.placement, values, pending: true });
    return kept.allowed ? STAY : denied(kept);
  }
  const { move, text, here } = weighMove(request, again.placement, { earlier, values });
  if (!here.allowed) return denied(here);
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

/** The parts of a run that are ahead; a part that has begun begins now. Null for a machine without an end. */
function partsAhead({ segments, start, end }: CompactDecision["placement"], nowSeconds: number): Parts | null {
  if (end === null) return null;
  const now = formatTime(nowSeconds);
  const ahead = (segments ?? [{ start, end }]).filter((part) => (parseTime(part.end) ?? 0) > nowSeconds);
  return ahead.map((part) => ((parseTime(part.start) ?? 0) < nowSeconds ? { ...part, start: now } : part));
}

/** The rest of a run as a spec would request it: its duration counts no pauses. */
function restOf({ request, earlier }: Asked, ahead: Parts): DecisionRequest {
  const hours = runHours({ start: earlier.placement.start, end: earlier.placement.end, segments: ahead }) ?? 0;
  const spec = { ...request.object.spec, duration: `${String(Math.round(hours * HOUR_SECONDS))}s` };
  return { ...request, object: { ...request.object, spec } };
}

function judgeStarted(asked: Asked): Answer {
  const { request, earlier } = asked;
  const ahead = partsAhead(earlier.placement, request.nowSeconds);
  const rest = ahead === null || ahead.length === 0 ? request : restOf(asked, ahead);
  const placement = { ...earlier.placement, start: formatTime(request.nowSeconds) };
  const continuous = decideHere(rest, { placement, values: valuesOf(asked), pending: false });
  if (!continuous.allowed) return denied(continuous);
  if (ahead?.length === 0) return STAY;
  const { segments, end } = earlier.placement;
  const parts = segments === undefined || ahead === null ? {} : { segments: ahead };
  return judgeRunning(asked, withParts(rest, continuous, { ...parts, end }));
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
  const asked = { key: workloadKey(kind, namespace, name), kind, object };
  return {
    ...{ kind, policy, nowSeconds, operation: "UPDATE", object: stripDecision(object), forecasts },
    ...clusterContext(clusterData, asked, nowSeconds),
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
  const judge = started ? judgeStarted : judgeWaiting;
  const answer = earlier === null ? judgeUndecided(request) : judge({ request, object, earlier });
  const place = earlier === null ? null : placeOf(earlier.placement);
  return { ...{ kind, namespace, name }, ...answer, place, started };
}
