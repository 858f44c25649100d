import type { AdmissionRequest } from "../types.ts";

/**
 * Whether the change is one of an object that is being deleted. A request may lack the time of deletion, which the API server
 * then puts back, and a new object is never being deleted.
 */
export const isBeingDeleted = ({ object, oldObject }: Pick<AdmissionRequest, "object" | "oldObject">): boolean =>
  oldObject !== null && [oldObject, object].some(({ metadata }) => metadata.deletionTimestamp !== undefined);
