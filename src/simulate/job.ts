import type { Candidate } from "../model/policy.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";

/** One line of a workload. Times in seconds since 1970. */
export interface Job {
  id: string;
  arrival: number;
  /** vCPU */
  cpu: number;
  /** GiB */
  memory: number;
  durationSeconds: number;
  /** The run has to be over by then. */
  deadline: number;
  /** Round trip to the origin, in ms; null: no limit. */
  maxLatencyMs: number | null;
  origin: PlaceKey;
  /** Areas of which the place must lie in one; empty: anywhere. */
  dataResidency: string[];
}

/** A job and where it may run. */
export interface Task {
  job: Job;
  /** The places that the policies allow and whose electricity zone has an hourly series. Never empty. */
  allowed: readonly Candidate[];
  /** The same machine at the origin, whether or not the policies allow it. */
  atOrigin: Candidate;
}

/** What a policy decided for the task of the same index. */
export interface Placed {
  candidate: Candidate;
  /** Seconds since 1970. */
  start: number;
}

export const SHIFTS = ["place", "time", "both"] as const;
/** What may be shifted. */
export type Shift = (typeof SHIFTS)[number];

/** The latest start that still meets the deadline. */
export const latestStart = ({ deadline, durationSeconds }: Job): number => deadline - durationSeconds;
/** vCPU·h: what a region's share is counted in. */
export const loadOf = ({ cpu, durationSeconds }: Job): number => (cpu * durationSeconds) / HOUR_SECONDS;
