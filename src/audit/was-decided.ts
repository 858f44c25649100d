import { type Emergency, emergencyAt } from "../model/emergency.ts";
import type { KeyRing } from "../model/decision-annotation/key-ring.ts";
import { verifyDecision } from "../model/decision-annotation/signature.ts";
import { type DecisionOwners, standingOf } from "../model/decision-annotation/standing.ts";
import { withoutDecision } from "../model/decision-annotation/trusted.ts";
import { ANNOTATION } from "../model/names.ts";
import { parseTime } from "../model/time.ts";
import type { Workload } from "../model/workload.ts";

/** The keys and records by which decisions of admission are known from those that someone wrote into an object. */
export interface Proof {
  /** Null if the keys cannot be read. */
  ring: KeyRing | null;
  owners: Pick<DecisionOwners, "ownerOf">;
  emergencies: readonly Emergency[];
}

/** The emergency in which an object was created; null for none. */
export const emergencyOf = (
  { metadata: { namespace = "", creationTimestamp = "" } }: Pick<Workload, "metadata">,
  emergencies: readonly Emergency[],
): Emergency | null => emergencyAt(emergencies, namespace, parseTime(creationTimestamp) ?? Number.NaN);

/** Whether admission decided this object; null if it names a decision whose signature cannot be checked. */
export function wasDecided(object: Workload, { ring, owners, emergencies }: Proof): boolean | null {
  const { metadata } = object;
  if (!(ANNOTATION.decision in (metadata.annotations ?? {}))) return false;
  if (ring === null) return null;
  const verified = verifyDecision(ring, object);
  if (verified === null) return false;
  const standing = standingOf(verified, metadata, owners.ownerOf(verified.signature.id));
  // No controller has bound it yet: admission made it for a new object, and was not asked about those of an emergency.
  return standing === "own" || (standing === "unbound" && emergencyOf(object, emergencies) === null);
}

/** The object, without a decision that is not its own. */
export const asDecided = (object: Workload, proof: Proof): Workload =>
  wasDecided(object, proof) === false ? withoutDecision(object) : object;
