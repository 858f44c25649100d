import { placeName, type WorkloadObject } from "../workload.ts";
import type { CompactDecision } from "./compact-decision.ts";
import type { DecisionOwners } from "./standing.ts";
import { specDigest, stillHolds } from "./still-holds.ts";

/**
 * Whether a decision that no known key signed is installed: a controller recorded this spec in the decided place, and the decision is the one
 * for this spec. Everyone who may change the object while no webhook is called can write the decision, and the id of a key that is not known.
 * Records of earlier versions confirm the place alone, until their controller writes them again.
 */
export function isRecorded(
  owners: Pick<DecisionOwners, "recordedSpecs">,
  object: WorkloadObject,
  decision: CompactDecision,
): boolean {
  const specs = owners.recordedSpecs(object, placeName(decision.placement));
  return specs.some((spec) => spec === null || spec === specDigest(object.spec)) && stillHolds(object, decision);
}
