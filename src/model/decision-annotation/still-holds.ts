import { isDeepStrictEqual } from "node:util";
import type { CompactDecision } from "./compact-decision.ts";
import { inputsHash } from "./inputs.ts";
import { placementFields } from "./placement-fields.ts";
import type { WorkloadObject } from "../workload-object.ts";

export interface ChangedField {
  field: string;
  actual: unknown;
  decided: string;
}

/** A written field that no longer has the decided value; null where all have it. */
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

/** Whether the object still is what `decision` was made of, e.g. when the API server calls a second time. */
export const stillHolds = (object: WorkloadObject, decision: CompactDecision): boolean =>
  inputsHash(object, decision.written) === decision.inputs && changedField(object, decision) === null;
