import { hash } from "node:crypto";
import { canonicalJson } from "../json.ts";
import { ANNOTATION, IF_BETTER } from "../names.ts";
import type { WrittenField } from "../workload.ts";
import type { WorkloadObject } from "../workload-object.ts";

/** Fields of a spec that a decision depends on; a change of any other keeps the decision as it is. */
const DECISION_FIELDS = [
  "cpu",
  "memory",
  "nodePools",
  "highAvailability",
  "kubernetesVersion",
  "endpoint",
  "zones",
  "poolInstanceTypes",
  "duration",
  "deadline",
  "maxLatency",
  "origin",
  "provider",
  "schedulingLocation",
  "schedulingTime",
  "dataResidency",
  "arch",
  "burstable",
  "os",
  "network",
  "optimizeFor",
  "instanceType",
  "zone",
  "image",
] as const;

/** The spec as its user wrote it: without what admission filled in and without the controller's `global`. */
export function userSpec(spec: Record<string, unknown>, written: readonly WrittenField[]): Record<string, unknown> {
  const dropped = new Set<string>([...written, "global"]);
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !dropped.has(key)));
}

/** SHA-256 (16 hex digits) over the user's inputs of the decision: equal inputs need no new decision. */
export function inputsHash(object: WorkloadObject, written: readonly WrittenField[]): string {
  const spec = object.spec ?? {};
  const inputs: Record<string, unknown> = {};
  for (const key of DECISION_FIELDS) {
    if (key in spec && !(written as readonly string[]).includes(key)) inputs[key] = spec[key];
  }
  const wish = object.metadata.annotations?.[ANNOTATION.reevaluate] ?? null;
  const reevaluate = wish === IF_BETTER ? null : wish;
  return hash("sha256", canonicalJson({ inputs, reevaluate })).slice(0, 16);
}
