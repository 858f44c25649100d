import type { Site } from "../forecast/neighbours.ts";
import { PooledForecaster } from "../forecast/pooled-forecaster.ts";
import type { RunErrors } from "../forecast/wait-errors.ts";
import { ZonePool } from "../forecast/zone-pool.ts";
import type { PowerModel } from "../model/places/catalog.ts";
import { HourlyCurve, type HourlySeries } from "../model/places/intensity.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { powerKw } from "../placement/energy.ts";
import type { Job } from "./job.ts";

/** A simulation's inputs besides the tasks. */
export interface Recorded {
  /** electricity zone -> measured series */
  series: ReadonlyMap<string, HourlySeries>;
  /** electricity zone -> its location; a zone without one has no neighbours */
  sites: ReadonlyMap<string, Site>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  /** Longest time to a start. */
  horizonSeconds: number;
  /** Share of the best score of an immediate start that one day of waiting has to save. */
  waitingCost: number;
  /** How many of a forecast's first hours are the measured ones; none if omitted. Shows what a better forecast gains. */
  knownHours?: number;
}

/** A forecast with measured hours at its beginning. */
function withKnown(forecast: HourlyCurve, truth: HourlyCurve, hours: number): HourlyCurve {
  const { source, issuedAt, until } = forecast;
  const start = issuedAt ?? 0;
  const values = Float64Array.from({ length: ((until ?? start) - start) / HOUR_SECONDS }, (_, hour) =>
    (hour < hours ? truth : forecast).meanOver(start + hour * HOUR_SECONDS, HOUR_SECONDS),
  );
  return new HourlyCurve(start, values, { source, issuedAt, until });
}

/** A zone's forecaster and its last forecast. */
interface Watched {
  forecaster: PooledForecaster;
  hour: number;
  outlook: Outlook;
}

/** A zone's forecast at one hour. */
class Outlook {
  readonly curve: HourlyCurve;
  /** Lower bound of the curve, gCO2eq/kWh. */
  readonly least: number;
  readonly #forecaster: PooledForecaster;
  readonly #nowSeconds: number;

  constructor(forecaster: PooledForecaster, nowSeconds: number, known: (forecast: HourlyCurve) => HourlyCurve) {
    this.#forecaster = forecaster;
    this.#nowSeconds = nowSeconds;
    this.curve = known(forecaster.curveAt(nowSeconds));
    this.least = this.curve.least();
  }

  /** `PooledForecaster.waitErrorsAt` for a run of `seconds`. */
  waitErrors(seconds: number): RunErrors {
    return this.#forecaster.waitErrorsAt(this.#nowSeconds, seconds / HOUR_SECONDS);
  }
}

/** The measured year, and what was known of it at each hour. */
export class World {
  readonly power: PowerModel;
  readonly objective: PolicyResult["objective"];
  readonly horizonSeconds: number;
  readonly waitingCost: number;
  readonly #series: ReadonlyMap<string, HourlySeries>;
  readonly #truth = new Map<string, HourlyCurve>();
  readonly #watched = new Map<string, Watched>();
  readonly #pool: ZonePool;
  readonly #knownHours: number;

  constructor({ series, sites, power, objective, horizonSeconds, waitingCost, knownHours = 0 }: Recorded) {
    this.#knownHours = knownHours;
    this.power = power;
    this.objective = objective;
    this.horizonSeconds = horizonSeconds;
    this.waitingCost = waitingCost;
    this.#series = series;
    this.#pool = new ZonePool(series, sites);
    for (const [zone, { start, values }] of series) {
      this.#truth.set(zone, new HourlyCurve(start, values, { source: "measured", issuedAt: null, until: null }));
    }
  }

  /** The job's actual grams of CO2. */
  grams({ durationSeconds }: Job, candidate: Candidate, start: number): number {
    const intensity = this.truth(candidate).meanOver(start, durationSeconds);
    return powerKw(this.power, candidate) * intensity * (durationSeconds / HOUR_SECONDS);
  }

  /** The measured series of the candidate's zone, including the future: only for the bound and the final results. */
  truth({ electricityZone }: Candidate): HourlyCurve {
    const curve = this.#truth.get(electricityZone ?? "");
    if (curve === undefined) throw new TypeError(`no series of the zone ${String(electricityZone)}`);
    return curve;
  }

  /** Mean of all hours of a zone before `nowSeconds`, or of the year before if there are none. */
  meanSoFar({ electricityZone }: Candidate, nowSeconds: number): number {
    const series = this.#series.get(electricityZone ?? "");
    const known = this.hoursOver(electricityZone ?? "", nowSeconds);
    const truth = this.#truth.get(electricityZone ?? "");
    if (series === undefined || truth === undefined) return Number.POSITIVE_INFINITY;
    return known === 0
      ? (series.before ?? Number.POSITIVE_INFINITY)
      : truth.meanOver(series.start, known * HOUR_SECONDS);
  }

  /** The last measured hours of a zone, newest last; at most `count`. */
  lastHours(zone: string, nowSeconds: number, count: number): Float64Array {
    const known = this.hoursOver(zone, nowSeconds);
    return this.#series.get(zone)?.values.subarray(Math.max(0, known - count), known) ?? new Float64Array(0);
  }

  /** How many hours of a zone have ended at `nowSeconds`. */
  hoursOver(zone: string, nowSeconds: number): number {
    const series = this.#series.get(zone);
    if (series === undefined) return 0;
    return Math.min(series.values.length, Math.max(0, Math.floor((nowSeconds - series.start) / HOUR_SECONDS)));
  }

  /** The embedded forecast of a zone from the hours that have ended at `nowSeconds`. */
  forecast(zone: string, nowSeconds: number): Outlook {
    const series = this.#series.get(zone);
    if (series === undefined) throw new TypeError(`no series of the zone ${zone}`);
    const hour = Math.floor(nowSeconds / HOUR_SECONDS);
    const before = this.#watched.get(zone);
    if (before?.hour === hour) return before.outlook;
    const forecaster = before?.forecaster ?? new PooledForecaster(zone, series, this.#pool);
    forecaster.advance(nowSeconds);
    const outlook = new Outlook(forecaster, nowSeconds, (curve) => this.#withKnown(zone, curve));
    this.#watched.set(zone, { forecaster, hour, outlook });
    return outlook;
  }

  #withKnown(zone: string, curve: HourlyCurve): HourlyCurve {
    const truth = this.#truth.get(zone);
    return truth === undefined || this.#knownHours === 0 ? curve : withKnown(curve, truth, this.#knownHours);
  }
}
