import { isInstalled } from "../../model/is-installed.ts";
import { ANNOTATION } from "../../model/names.ts";
import { parseTime } from "../../model/time.ts";
import type { WrittenField } from "../../model/workload.ts";
import type { CompactDecision } from "../../model/decision-annotation/compact-decision.ts";
import type { AdmissionContext, AdmissionRequest } from "../outcome.ts";
import type { WorkloadObject } from "../../model/workload-object.ts";

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

const isPaused = ({ metadata }: WorkloadObject): boolean => metadata.annotations?.[ANNOTATION.paused] === "true";

/** Whether the object is held back from being installed. A pause on what is installed is a person's, and holds nothing back. */
export const isHeldBack = (object: WorkloadObject): boolean => isPaused(object) && !isInstalled(object);

/** Whether that pause is Landfall's, and not its user's own: older decisions do not say, but start later than they were made. */
export const isOurPause = ({ update: { oldObject }, earlier }: Change): boolean =>
  isHeldBack(oldObject) &&
  (earlier.held ??
    (parseTime(earlier.placement.start) ?? 0) > (parseTime(oldObject.metadata.creationTimestamp ?? "") ?? 0));

/** Whether the object still waits for the start that was decided. */
export const waits = ({ update, context, earlier }: Change): boolean =>
  isHeldBack(update.oldObject) && (parseTime(earlier.placement.start) ?? 0) > context.nowSeconds;

/** The object without these fields of its spec. */
export function without(object: WorkloadObject, fields: readonly WrittenField[]): WorkloadObject {
  const dropped = new Set<string>(fields);
  const spec = Object.fromEntries(Object.entries(specOf(object)).filter(([key]) => !dropped.has(key)));
  return { ...object, spec };
}

/** The object as its user means it: without the fields that an earlier decision wrote. */
export const bare = ({ update, kept }: Change): WorkloadObject => without(update.object, kept);
