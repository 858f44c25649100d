import type { HourlyCurve, HourlySeries } from "../model/places/intensity.ts";
import type { RunErrors } from "./wait-errors.ts";
import { ZoneForecaster } from "./zone-forecaster.ts";
import type { ZonePool } from "./zone-pool.ts";

/**
 * The forecast of one zone as the mean of its own forecaster and the pooled one. Jobs start at better hours with the
 * mean than with either.
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

  /** Reads every hour that has ended at `nowSeconds` (seconds since 1970). */
  advance(nowSeconds: number): void {
    this.#alone.advance(nowSeconds);
    this.#pool.advance(nowSeconds);
  }

  /** The forecast made at `nowSeconds`, up to which the forecaster has been advanced. */
  curveAt(nowSeconds: number): HourlyCurve {
    const alone = this.#alone.valuesAt(nowSeconds);
    const pooled = this.#pool.valuesAt(this.#zone, nowSeconds);
    for (let lead = 0; pooled !== null && lead < alone.length; lead++) {
      alone[lead] = ((alone[lead] ?? 0) + (pooled[lead] ?? 0)) / 2;
    }
    return this.#alone.curveOf(nowSeconds, alone);
  }

  /** See `ZoneForecaster.waitErrorsAt`. */
  waitErrorsAt(nowSeconds: number, runHours: number): RunErrors {
    return this.#alone.waitErrorsAt(nowSeconds, runHours);
  }
}
