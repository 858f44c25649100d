import { HourlyCurve } from "../model/hourly-curve.ts";
import type { HourlySeries } from "../model/hourly-series.ts";
import { HORIZON_HOURS } from "./lead-buckets.ts";
import type { RunErrors } from "./wait-errors.ts";
import { ZoneForecaster } from "./zone-forecaster.ts";
import type { ZonePool } from "./zone-pool.ts";

/**
 * The forecast of one zone as the mean of two: what it learned alone, and what it learned with all others. Jobs start at
 * better hours by the mean than by either.
 */
export class PooledForecaster {
  readonly #zone: string;
  readonly #alone: ZoneForecaster;
  readonly #pool: ZonePool;

  constructor(zone: string, series: HourlySeries, pool: ZonePool) {
    this.#zone = zone;
    this.#alone = new ZoneForecaster(series);
    this.#pool = pool;
  }

  /** Takes note of every hour that is over at `now` (seconds since 1970). */
  advance(now: number): void {
    this.#alone.advance(now);
    this.#pool.advance(now);
  }

  /** The coming hours as they looked at `now`, up to which it has been advanced. */
  curveAt(now: number): HourlyCurve {
    const { issuedAt, until, source } = this.#alone.curveAt(now);
    const alone = this.#alone.valuesAt(now);
    const pooled = this.#pool.valuesAt(this.#zone, now);
    const values = pooled === null ? alone : alone.map((value, lead) => (value + (pooled[lead] ?? value)) / 2);
    const start = issuedAt ?? now;
    return new HourlyCurve(start, values, { source, issuedAt, until: until ?? start + HORIZON_HOURS * 3600 });
  }

  /** `ZoneForecaster.waitErrorsAt`. */
  waitErrorsAt(now: number, runHours: number): RunErrors {
    return this.#alone.waitErrorsAt(now, runHours);
  }
}
