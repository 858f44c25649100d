import type { PlaceKey } from "./workload.ts";

/** A workload that has its place already, running or held back until its start. */
export interface PlacedWorkload {
  /** Null: not decided yet, or not by Landfall; it counts nowhere. */
  place: PlaceKey | null;
  /** Seconds since 1970; null: it runs already. */
  start: number | null;
  /** Seconds since 1970; null: it runs until somebody deletes it. */
  end: number | null;
  vcpus: number;
}

/** vCPU that are placed already, by place and hour. An hour is a number of hours since 1970. */
export interface LoadTable {
  at(place: PlaceKey, hour: number): number;
  /** Of all places together. */
  totalAt(hour: number): number;
}

/** How much may run in a place. */
export interface Budgets {
  /**
   * The most vCPU that may run in `place` during `hour` once a workload of `adding` vCPU is placed there; infinite where
   * there is no limit.
   */
  limitAt(place: PlaceKey, hour: number, adding: number): number;
  /**
   * Above the share `from` of its limit a place costs more, rising to `surcharge` (0.1 = 10 % of its score) where it is
   * full. Left out: a place costs the same until it is full.
   */
  readonly softLimit?: { from: number; surcharge: number };
}

/** The platform's budgets, as the policies answer them. */
export interface BudgetSettings {
  /** Most vCPU in one place in any hour; null: no limit. */
  vcpus: number | null;
  /** The same by place, in place of `vcpus`. */
  places: Record<PlaceKey, number>;
  /** Largest share of all placed vCPU in one place in any hour; null: no limit. */
  maxRegionShare: number | null;
  /** A place may always hold so many vCPU, whatever the share: the first machine of all is all of the load. */
  shareFloorVcpus: number;
  nearFull: { from: number; surcharge: number };
}
