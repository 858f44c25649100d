import { ANNOTATION } from "../names.ts";

/**
 * What is done about a machine that someone stopped or deleted by hand. `auto`: what its operator does. `never`: nothing that can
 * be left undone. `recreate`: also a stopped machine that its operator cannot start is deleted and created again.
 */
const REPAIR_POLICIES = ["auto", "never", "recreate"] as const;
export type RepairPolicy = (typeof REPAIR_POLICIES)[number];

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

const written = ({ metadata }: Annotated): string | undefined => metadata.annotations?.[ANNOTATION.repair];

/** The policy of an object; admission refuses other words, and an object from before it has the default. */
export const repairPolicy = (object: Annotated): RepairPolicy =>
  REPAIR_POLICIES.find((one) => one === written(object)) ?? "auto";

/** The word that is no policy, if the change brings it; null otherwise. */
export function unknownPolicy(object: Annotated, oldObject: Annotated | null): string | null {
  const now = written(object);
  if (now === undefined || (oldObject !== null && now === written(oldObject))) return null;
  return REPAIR_POLICIES.some((one) => one === now) ? null : now;
}
