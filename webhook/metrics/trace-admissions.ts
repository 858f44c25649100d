import type { Registry } from "prom-client";
import type { Span, Tracer } from "../../src/cluster/tracing/span.ts";
import { textOf } from "../../src/model/json.ts";
import { uptimeMs } from "../../src/processes/uptime-ms.ts";
import type { NoteAdmission, Reply, ReviewPath, StageTime } from "../review/answer-review.ts";
import { countAdmissions, webhookOf } from "./admission-metrics.ts";

const known = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : textOf(value);

/** The attributes of a review. Of what users write, only the namespace: no other name, no value of an object, and not who asked. */
function attributesOf(path: ReviewPath, { log }: Reply): Span["attributes"] {
  const { uid, kind, operation, namespace, allowed, codes, decision } = log ?? {};
  const outcome = allowed === true ? "allowed" : "denied";
  return {
    "landfall.webhook": webhookOf(path),
    "landfall.outcome": log === null ? "skipped" : outcome,
    "landfall.decision": known(decision),
    "landfall.kind": known(kind),
    "landfall.operation": known(operation),
    "landfall.review": known(uid),
    "landfall.codes": Array.isArray(codes) ? codes.map(textOf).join(",") : undefined,
    "k8s.namespace.name": known(namespace),
  };
}

/** The spans of stages; `sign` belongs to the stage in which it was. */
function partsOf(stages: readonly StageTime[], epochMs: (uptime: number) => number, policyMs: number): Span[] {
  const spanOf = ({ stage, beganMs, endedMs }: StageTime): Span => ({
    ...{ name: stage, beganMs: epochMs(beganMs), endedMs: epochMs(endedMs), failed: null },
    attributes: stage === "decide" ? { "landfall.policy_ms": Math.round(policyMs * 1000) / 1000 } : {},
    children: stage === "decide" ? stages.filter((one) => one.stage === "sign").map(spanOf) : [],
  });
  return stages.filter(({ stage }) => stage !== "sign").map(spanOf);
}

/** Tells what an admission took, with its stages. The time before the first of them was spent waiting for a turn. */
function traceAdmissions(tracer: Tracer): NoteAdmission {
  return (path, reply, seconds, parent) => {
    const [nowMs, uptime] = [Date.now(), uptimeMs()];
    const epochMs = (at: number): number => nowMs - (uptime - at);
    const beganMs = nowMs - seconds * 1000;
    const { stages = [], figures, status } = reply;
    const [first] = stages;
    const wait: Span[] =
      first === undefined
        ? []
        : [{ name: "wait", beganMs, endedMs: epochMs(first.beganMs), attributes: {}, failed: null, children: [] }];
    const span: Span = {
      ...{ name: `admission ${webhookOf(path)}`, beganMs, endedMs: nowMs, attributes: attributesOf(path, reply) },
      failed: status >= 500 ? `HTTP ${String(status)}` : null,
      children: [...wait, ...partsOf(stages, epochMs, figures?.policyMs ?? 0)],
    };
    tracer.record(span, { serves: true, parent });
  };
}

/** Notes each answer in the metrics, and in traces if there is a tracer. */
export function noteAdmissions(registry: Registry, tracer: Tracer | null = null): NoteAdmission {
  const count = countAdmissions(registry);
  if (tracer === null) return count;
  const trace = traceAdmissions(tracer);
  return (path, reply, seconds, parent) => {
    count(path, reply, seconds);
    trace(path, reply, seconds, parent);
  };
}
