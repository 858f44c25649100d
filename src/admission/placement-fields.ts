import type { Placement } from "../model/decision.ts";
import type { WrittenField } from "../model/workload.ts";

/** The values that a placement gives the fields which admission writes. */
export function placementFields(placement: Placement): Record<WrittenField, string | null> {
  return {
    provider: placement.provider,
    schedulingLocation: placement.region,
    schedulingTime: placement.start,
    instanceType: placement.instanceType,
    zone: placement.zone,
    image: placement.image,
    os: placement.os,
  };
}
