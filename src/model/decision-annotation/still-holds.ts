import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../sha256.ts";
import { type CompactDecision, placementFields } from "./compact-decision.ts";
import type { WorkloadObject, WrittenField } from "../workload.ts";
import { canonicalJson } from "../json.ts";
import { ANNOTATION } from "../names.ts";
import { commandOf } from "./command.ts";

type Spec = Readonly<Record<string, unknown>> | undefined;

/**
 * SHA-256 of a whole spec, 64 hex digits. Without `global`: composition controllers write it, and ours replaces what it finds
 * there.
 */
export function specDigest(spec: Spec): string {
  const { global: _, ...signed } = spec ?? {};
  return sha256(canonicalJson(signed));
}

interface Signed {
  /** SHA-256 of the spec that was signed; null in the forms that do not cover it. */
  spec: string | null;
  signature: { use: string };
}

/**
 * `accepted`: admission signed this spec. `changed`: it signed another one, or only offered this one. `unknown`: the signature is of a form that does not cover
 * the spec.
 */
export type SpecStanding = "accepted" | "changed" | "unknown";

export function specStanding({ spec: signed, signature }: Signed, { spec }: { spec?: Spec }): SpecStanding {
  if (signed === null) return "unknown";
  return signature.use !== "offer" && signed === specDigest(spec) ? "accepted" : "changed";
}

/** Whether a signature covers this spec, also that of an offer. */
export const coversSpec = ({ spec: signed }: Signed, { spec }: { spec?: Spec }): boolean => signed === specDigest(spec);

/** Spec fields that a decision depends on; a change of any other field keeps the decision. */
const DECISION_FIELDS = [
  "cpu",
  "memory",
  "nodePools",
  "highAvailability",
  "kubernetesVersion",
  "endpoint",
  "releaseChannel",
  "zones",
  "poolInstanceTypes",
  "duration",
  "interruptible",
  "deadline",
  "maxWait",
  "waitingCostPercent",
  "maxPrice",
  "capacity",
  "capacityType",
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

/** SHA-256 (64 hex digits) over the user's inputs of the decision: equal inputs need no new decision. */
export function inputsHash(object: WorkloadObject, written: readonly WrittenField[]): string {
  const spec = object.spec ?? {};
  const inputs: Record<string, unknown> = {};
  for (const key of DECISION_FIELDS) {
    if (key in spec && !(written as readonly string[]).includes(key)) inputs[key] = spec[key];
  }
  const wish = object.metadata.annotations?.[ANNOTATION.reevaluate] ?? null;
  const reevaluate = commandOf(wish) === null ? wish : null;
  return sha256(canonicalJson({ inputs, reevaluate }));
}

/** Version 0.1.0 stored so many digits of the hash. Its decisions are signed, so no one can shorten a longer one. */
const OLD_DIGITS = 16;

/** Whether a decision was made of the inputs with this hash. */
export const sameInputs = (hash: string, { inputs }: Pick<CompactDecision, "inputs">): boolean =>
  inputs === (inputs.length === OLD_DIGITS ? hash.slice(0, OLD_DIGITS) : hash);

export interface ChangedField {
  field: string;
  actual: unknown;
  decided: string;
}

/** A written field that no longer has the decided value; null if all have it. */
export function changedField(object: WorkloadObject, { placement, written }: CompactDecision): ChangedField | null {
  const spec = object.spec ?? {};
  const decided = placementFields(placement);
  for (const field of written) {
    const value = decided[field];
    if (value === null || isDeepStrictEqual(spec[field], value)) continue;
    return { field, actual: spec[field], decided: typeof value === "string" ? value : JSON.stringify(value) };
  }
  return null;
}

/** Whether the object still has the inputs and values of `decision`, e.g. when the API server calls a second time. */
export const stillHolds = (object: WorkloadObject, decision: CompactDecision): boolean =>
  sameInputs(inputsHash(object, decision.written), decision) && changedField(object, decision) === null;
