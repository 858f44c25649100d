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
  /** The run must end by then. */
  deadline: number;
  /** Round trip to the origin, in ms; null: no limit. */
  maxLatencyMs: number | null;
  origin: PlaceKey;
  /** The place must be in one of these areas; empty: anywhere. */
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

/** A policy's choice for the task with the same index. */
export interface Placed {
  candidate: Candidate;
  /** Seconds since 1970. */
  start: number;
}

export const SHIFTS = ["place", "time", "both"] as const;
/** The dimensions that a policy may shift. */
export type Shift = (typeof SHIFTS)[number];

/** The latest start that still meets the deadline. */
export const latestStart = ({ deadline, durationSeconds }: Job): number => deadline - durationSeconds;
/** Load in vCPU·h, the unit of a region's share. */
export const loadOf = ({ cpu, durationSeconds }: Job): number => (cpu * durationSeconds) / HOUR_SECONDS;
