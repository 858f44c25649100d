import { HOUR_SECONDS } from "../model/time.ts";
import { type Job, latestStart } from "./job.ts";

/**
 * The starts that can be best with known hours: intensity is constant within an hour, so the mean of a run, with or
 * without a cost that grows with time, is least when its beginning or end is a full hour, or at an end of the window.
 */
export function breakpoints(job: Job): number[] {
  const { arrival, durationSeconds } = job;
  const latest = latestStart(job);
  const starts = [arrival];
  for (let full = Math.ceil(arrival / HOUR_SECONDS) * HOUR_SECONDS; full <= latest; full += HOUR_SECONDS)
    starts.push(full);
  const firstEnd = Math.ceil((arrival + durationSeconds) / HOUR_SECONDS) * HOUR_SECONDS;
  for (let end = firstEnd; end - durationSeconds <= latest; end += HOUR_SECONDS) starts.push(end - durationSeconds);
  return [...starts, latest];
}
