import type { PlaceKey } from "../workload.ts";

/** A workload with a place, running or waiting for its start. */
export interface PlacedWorkload {
  /** Null: not decided yet, or not by Landfall; it counts nowhere. */
  place: PlaceKey | null;
  /** Seconds since 1970; null: it runs already. */
  start: number | null;
  /** Seconds since 1970; null: it runs until someone deletes it. */
  end: number | null;
  vcpus: number;
}

/** vCPU of placed workloads, by place and hour. Hours are counted since 1970. */
export interface LoadTable {
  at(place: PlaceKey, hour: number): number;
  /** Of all places together. */
  totalAt(hour: number): number;
}

/** Limits of the load in a place. */
export interface Budgets {
  /**
   * The maximum vCPU in `place` during `hour` once a workload of `adding` vCPU is placed there; infinite without a
   * limit.
   */
  limitAt(place: PlaceKey, hour: number, adding: number): number;
  /**
   * Above the share `from` of its limit, a place gets a surcharge, rising to `surcharge` (0.1 = 10 % of its score) when
   * it is full. Omitted: no surcharge.
   */
  readonly softLimit?: { from: number; surcharge: number };
}

/** The platform's budgets in the policies' result. */
export interface BudgetSettings {
  /** Most vCPU in one place in any hour; null: no limit. */
  vcpus: number | null;
  /** The same by place, instead of `vcpus`. */
  places: Record<PlaceKey, number>;
  /** Largest share of all placed vCPU in one place in any hour; null: no limit. */
  maxRegionShare: number | null;
  /** A place may always have this many vCPU regardless of the share: the first machine of all is the whole load. */
  shareFloorVcpus: number;
  nearFull: { from: number; surcharge: number };
}

/** Whether the settings limit what runs in any place. */
export const limitsPlaces = ({ vcpus, places, maxRegionShare }: BudgetSettings): boolean =>
  vcpus !== null || maxRegionShare !== null || Object.keys(places).length > 0;
