import { isHeldByLandfall, waitsForStart } from "../../model/decision-annotation/pause.ts";
import { withoutFields } from "../../model/decision-annotation/strip-decision.ts";
import type { WorkloadObject, WrittenField } from "../../model/workload.ts";
import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { Standing } from "../../model/decision-annotation/standing.ts";
import type { VerifiedDecision } from "../../model/decision-annotation/signature.ts";
import type { AdmissionContext, AdmissionRequest } from "../types.ts";

export type Update = AdmissionRequest & { oldObject: WorkloadObject };

/** An update of a decided object. */
export interface Change {
  update: Update;
  context: AdmissionContext;
  earlier: CompactDecision;
  verified: VerifiedDecision;
  /** Whether the earlier decision may be trusted to be this object's: `unbound` if nothing speaks against it. */
  standing: Standing;
  /** Whether more than the status of the object says that the earlier decision is its own. */
  isOwn: boolean;
  /** Fields of the earlier decision that the user did not change. */
  kept: WrittenField[];
  /** Their values on the old object. */
  values: Partial<Record<WrittenField, unknown>>;
}

export const specOf = (object: WorkloadObject): Record<string, unknown> => object.spec ?? {};

/** Whether Landfall, not its user, holds the object back. */
export const isHeldByUs = ({ update, earlier }: Change): boolean => isHeldByLandfall(update.oldObject, earlier);

/** Whether the object still waits for its decided start. */
export const waits = ({ update, context, earlier }: Change): boolean =>
  waitsForStart(update.oldObject, earlier, context.nowSeconds);

/** The object as its user wrote it, without the fields of an earlier decision. Its age is the old object's, not what the user wrote. */
export function bare({ update, kept }: Change): WorkloadObject {
  const object = withoutFields(update.object, kept);
  const { creationTimestamp } = update.oldObject.metadata;
  return creationTimestamp === undefined ? object : { ...object, metadata: { ...object.metadata, creationTimestamp } };
}
