import type { PowerModel } from "../../../src/model/places/catalog.ts";
import type { Candidate } from "../../../src/model/policy.ts";
import { carbonTable } from "../../support/carbon-table.ts";
import { CarbonCurve } from "../../../src/placement/curves.ts";
import type { PlacementRequest } from "../../../src/placement/placement-request.ts";

/** Friday, 2026-11-20, 11:00 UTC. */
export const NOW = 1_795_172_400;
export const HOUR = 3600;
export const power: PowerModel = { wattsPerVcpu: 3, wattsPerGiB: 0.4, pue: { default: 1.5, gcp: 1.1 } };

/** A machine in `provider/region`, in an electricity zone that is called like the region. */
export function candidate(place: string, fields: Partial<Candidate> = {}): Candidate {
  const [provider, region] = place.split("/") as [Candidate["provider"], string];
  return {
    place,
    provider,
    region,
    zone: null,
    instanceType: "m1",
    vcpus: 2,
    memoryGiB: 4,
    pricePerHour: 0.1,
    latencyMs: 10,
    latencySource: "measured",
    electricityZone: region,
    image: null,
    ...fields,
  };
}

export const weekly = (hourOfWeek: number[]): CarbonCurve =>
  new CarbonCurve(carbonTable({ yearly: 1, hourOfWeek, source: "test" }));
export const flat = (yearly: number): CarbonCurve =>
  new CarbonCurve(carbonTable({ yearly, hourOfWeek: null, source: "test" }));

/** By carbon alone, one hour, now. */
export const request = (
  fields: Partial<PlacementRequest> & Pick<PlacementRequest, "candidates" | "curves">,
): PlacementRequest => ({
  power,
  objective: { carbon: 1, price: 0, latency: 0 },
  window: { nowSeconds: NOW, durationSeconds: HOUR, deadline: null, pinnedStart: null, horizonSeconds: 168 * HOUR },
  ...fields,
});

/** Numbers in [0, 1) that follow from the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
