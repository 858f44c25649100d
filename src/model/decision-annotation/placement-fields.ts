import type { Placement } from "../decision.ts";
import type { WrittenField } from "../workload.ts";

/** What a written field can hold. */
export type WrittenValue = string | string[] | Record<string, string | number>;

/** The values that a placement gives the fields which admission writes. */
export function placementFields(placement: Placement): Record<WrittenField, WrittenValue | null> {
  return {
    provider: placement.provider,
    schedulingLocation: placement.region,
    schedulingTime: placement.start,
    instanceType: placement.instanceType,
    zone: placement.zone,
    image: placement.image,
    os: placement.os,
    osDisk: placement.osDisk ?? null,
    kubernetesVersion: placement.cluster?.kubernetesVersion ?? null,
    zones: placement.cluster === undefined || placement.cluster.zones.length === 0 ? null : placement.cluster.zones,
    poolInstanceTypes: placement.cluster?.poolInstanceTypes ?? null,
  };
}
