import type { CarbonProfile } from "../model/catalog.ts";
import type { IntensityCurve } from "../model/intensity.ts";

const WEEK_HOURS = 168;
const HOUR_SECONDS = 3600;
// 1970-01-01 was a Thursday: the curve's week starts on Monday, three days earlier.
const EPOCH_OFFSET_HOURS = 72;

/**
 * A zone's carbon intensity as a function that repeats every week, with prefix sums, so that the mean over any run costs
 * the same whatever its length.
 */
export class CarbonCurve implements IntensityCurve {
  readonly source: string;
  readonly issuedAt = null;
  readonly until = null;
  readonly #hours: readonly number[];
  readonly #sums: Float64Array;

  /** A zone with only a yearly figure is flat. */
  constructor(profile: CarbonProfile) {
    this.source = profile.source;
    this.#hours = profile.hourOfWeek ?? new Array<number>(WEEK_HOURS).fill(profile.yearly);
    this.#sums = new Float64Array(WEEK_HOURS + 1);
    for (let hour = 0; hour < WEEK_HOURS; hour++) {
      this.#sums[hour + 1] = (this.#sums[hour] ?? 0) + (this.#hours[hour] ?? 0);
    }
  }

  /** Mean gCO2eq/kWh from `start` (seconds since 1970) over `seconds` (> 0). */
  meanOver(start: number, seconds: number): number {
    const from = (start / HOUR_SECONDS + EPOCH_OFFSET_HOURS) % WEEK_HOURS;
    const hours = seconds / HOUR_SECONDS;
    return (this.#integral(from + hours) - this.#integral(from)) / hours;
  }

  /** gCO2eq/kWh × h from Monday 00:00 UTC to `hours` (>= 0) later. */
  #integral(hours: number): number {
    const weeks = Math.floor(hours / WEEK_HOURS);
    const within = hours - weeks * WEEK_HOURS;
    const hour = Math.floor(within);
    const whole = this.#sums[hour] ?? 0;
    return weeks * (this.#sums[WEEK_HOURS] ?? 0) + whole + (within - hour) * (this.#hours[hour] ?? 0);
  }
}
