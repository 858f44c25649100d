import { canonicalJson, textOf } from "../../model/json.ts";
import { conditionOf } from "./fields.ts";
import type { Lookup, Phase, Subject } from "./types.ts";

/** Conditions with the time of their last change: the old one if the status did not change, otherwise now. */
function withTimes({ resource, family }: Subject, phase: Phase, nowMs: number): unknown[] {
  const renewed = family.renewsTimes === true && (phase.name === "ready" || phase.name === "refused");
  const time = new Date(nowMs).toISOString().replace(/\.\d{3}Z$/, "Z");
  return family.conditions(phase, resource).map((condition) => {
    if (family.timeless?.includes(textOf(condition["type"])) === true) return condition;
    const before = renewed ? undefined : conditionOf(resource, textOf(condition["type"]));
    const kept = before && before["status"] === condition["status"] ? before["lastTransitionTime"] : undefined;
    return { ...condition, lastTransitionTime: kept ?? time };
  });
}

const isMade = (phase: Phase): boolean =>
  phase.name === "ready" || (phase.name === "refused" && phase.refusal.isMade === true);

/** The fields of status that the family's operator writes for a phase; null if the resource has them already. */
export function nextStatus(
  subject: Subject,
  phase: Phase,
  { lookup, nowMs, more = {} }: { lookup: Lookup; nowMs: number; more?: Record<string, unknown> },
): Record<string, unknown> | null {
  const { resource, family, rule } = subject;
  const status = {
    ...(isMade(phase) ? rule.status(resource, lookup) : {}),
    ...(phase.name === "refused" ? phase.refusal.leaves : {}),
    ...more,
    conditions: withTimes(subject, phase, nowMs),
    ...(family.topLevelGeneration ? { observedGeneration: resource.metadata.generation ?? 1 } : {}),
  };
  const merged = { ...resource.status, ...status };
  return canonicalJson(merged) === canonicalJson(resource.status) ? null : status;
}
