import type { WrittenField } from "../model/workload.ts";
import type { CompactDecision } from "./compact-decision.ts";
import type { AdmissionContext, AdmissionRequest } from "./outcome.ts";
import type { WorkloadObject } from "./workload-object.ts";

export type Update = AdmissionRequest & { oldObject: WorkloadObject };

/** An update of a decided object. */
export interface Change {
  update: Update;
  context: AdmissionContext;
  earlier: CompactDecision;
  /** Fields of the earlier decision that the user left alone. */
  kept: WrittenField[];
  /** Their values on the old object. */
  values: Partial<Record<WrittenField, unknown>>;
}

export const specOf = (object: WorkloadObject): Record<string, unknown> => object.spec ?? {};

/** The object as its user means it: without the fields that an earlier decision wrote. */
export function bare({ update, kept }: Change): WorkloadObject {
  const dropped = new Set<string>(kept);
  const spec = Object.fromEntries(Object.entries(specOf(update.object)).filter(([key]) => !dropped.has(key)));
  return { ...update.object, spec };
}
