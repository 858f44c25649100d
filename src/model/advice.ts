import type { ErrorCode, ErrorParams } from "../errors.ts";

/** What an external scheduler is asked: the thesis's HTTP contract, less the time that it has. Regions are electricity zones. */
export interface SchedulerRequest {
  number_of_jobs: number;
  eligible_regions: string[];
  /** RFC 3339 */
  deadline: string;
  /** As a spec writes it: 3h, 90m, 1h30m. */
  duration: string;
  /** vCPU */
  cpu: number;
  /** GiB */
  memory: number;
}

/** What it answered, read but not yet judged; or why there is no answer. Plain data: it crosses threads. */
export type Advice =
  | { ok: true; zone: string; /** Seconds since 1970. */ start: number }
  | { ok: false; code: ErrorCode; params: ErrorParams };
