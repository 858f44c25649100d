import type { ErrorCode, ErrorParams } from "../errors.ts";

/**
 * The request to an external scheduler: the thesis's HTTP contract, without its time limit. Regions are electricity
 * zones.
 */
export interface SchedulerRequest {
  number_of_jobs: number;
  eligible_regions: string[];
  /** RFC 3339 */
  deadline: string;
  /** In the notation of a spec: 3h, 90m, 1h30m. */
  duration: string;
  /** vCPU */
  cpu: number;
  /** GiB */
  memory: number;
}

/** The scheduler's answer, parsed but not yet checked; or why there is none. Plain data: it is sent between processes. */
export type Advice =
  | { ok: true; zone: string; /** Seconds since 1970. */ start: number }
  | { ok: false; code: ErrorCode; params: ErrorParams };
