import { isKind } from "../admission/check-object.ts";
import { type CompactDecision, readCompactDecision } from "../admission/compact-decision.ts";
import { decide } from "../admission/decide.ts";
import type { WorkloadObject } from "../admission/workload-object.ts";
import { type ClusterFacts, workloadKey } from "../facts/cluster-facts.ts";
import { vmNameOf } from "../facts/read-workload.ts";
import type { Decision } from "../model/decision.ts";
import { ANNOTATION, type Kind } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import type { LoadedBundle } from "../policy/loaded-bundle.ts";
import type { Finding } from "./finding.ts";

/** A move that saves less than this share of the carbon is not worth a word. */
const WORTH_MOVING = 0.05;

export interface AuditContext {
  policy: LoadedBundle;
  facts: ClusterFacts;
  /** Seconds since 1970. */
  now: number;
}

const placeOf = (placement: Decision["placement"]): string | null =>
  placement === null ? null : `${placement.provider}/${placement.region}`;

/** The object as its user wrote it: without what admission put in. */
function asWritten(object: WorkloadObject, earlier: CompactDecision | null): WorkloadObject {
  const {
    [ANNOTATION.decision]: _decision,
    [ANNOTATION.seal]: _seal,
    ...annotations
  } = object.metadata.annotations ?? {};
  const dropped = new Set<string>(["global", ...(earlier?.written ?? [])]);
  const spec = Object.fromEntries(Object.entries(object.spec ?? {}).filter(([field]) => !dropped.has(field)));
  return { ...object, metadata: { ...object.metadata, annotations }, spec };
}

/** Asks today's bundle about an object: once where it is, once as if it came today. */
function ask(
  kind: Kind,
  object: WorkloadObject,
  earlier: CompactDecision | null,
  { policy, facts, now }: AuditContext,
) {
  const { namespace = "default", name = "" } = object.metadata;
  const key = workloadKey(kind, namespace, name);
  const question = {
    ...{ kind, policy, now, operation: "UPDATE" as const, started: true, object: asWritten(object, earlier) },
    namespace: facts.namespace(namespace),
    facts: facts.around({ key, namespace, vmName: vmNameOf(kind, object) }, now),
  };
  const pins = Object.fromEntries((earlier?.written ?? []).map((field) => [field, object.spec?.[field]]));
  return { here: decide({ ...question, pins }), anew: decide(question) };
}

type Answer = Pick<Finding, "verdict" | "codes" | "message" | "to" | "gramsSaved">;

const STAY: Answer = { verdict: "stay", codes: [], message: "", to: null, gramsSaved: null };

/** Whether the place that would be chosen today is worth being named. */
function compare(here: Decision, anew: Decision): Answer {
  const [from, to] = [placeOf(here.placement), placeOf(anew.placement)];
  const [now, then] = [here.placement?.gramsCO2 ?? null, anew.placement?.gramsCO2 ?? null];
  if (to === null || to === from || now === null || then === null) return STAY;
  const saved = now - then;
  if (saved < now * WORTH_MOVING) return STAY;
  const percent = Math.round((saved / now) * 100);
  const message = `${to} would emit ${String(percent)} % less`;
  return { verdict: "move", codes: [], message, to, gramsSaved: Math.round(saved * 100) / 100 };
}

function judge(here: Decision, anew: Decision): Answer {
  if (here.allowed) return compare(here, anew);
  const codes = [...new Set(here.denials.map(({ code }) => code))];
  return { ...STAY, verdict: "deny", codes, message: here.denials[0]?.message ?? "" };
}

/** What today's bundle would say of an object that is there; null for an object that Landfall does not decide. Changes nothing. */
export function auditObject(object: WorkloadObject, context: AuditContext): Finding | null {
  const { kind } = object;
  if (!isKind(kind)) return null;
  const { namespace = "default", name = "", annotations } = object.metadata;
  const earlier = readCompactDecision(annotations?.[ANNOTATION.decision]);
  const start = earlier === null ? null : parseTime(earlier.placement.start);
  const { here, anew } = ask(kind, object, earlier, context);
  const answer = earlier === null && here.allowed ? { ...STAY, verdict: "undecided" as const } : judge(here, anew);
  return {
    ...{ kind, namespace, name },
    ...answer,
    place: earlier === null ? null : placeOf(earlier.placement),
    started: start === null || start <= context.now,
  };
}
