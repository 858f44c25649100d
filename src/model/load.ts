import type { PlaceKey } from "./workload.ts";

/** A workload that has its place already, running or held back until its start. */
export interface PlacedWorkload {
  place: PlaceKey;
  /** Seconds since 1970. */
  start: number;
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
}
