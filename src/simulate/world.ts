import type { Site } from "../forecast/neighbours.ts";
import { PooledForecaster } from "../forecast/pooled-forecaster.ts";
import type { RunErrors } from "../forecast/wait-errors.ts";
import { ZonePool } from "../forecast/zone-pool.ts";
import type { PowerModel } from "../model/catalog.ts";
import { HourlyCurve, type HourlySeries } from "../model/intensity.ts";
import type { Candidate, PolicyResult } from "../model/policy.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { powerKw } from "../placement/energy.ts";
import type { Job } from "./job.ts";

/** What a simulation is made of besides its tasks. */
export interface Recorded {
  /** electricity zone -> what was measured */
  series: ReadonlyMap<string, HourlySeries>;
  /** electricity zone -> where it is; one that is missing has no neighbours */
  sites: ReadonlyMap<string, Site>;
  power: PowerModel;
  objective: PolicyResult["objective"];
  /** Longest look-ahead for a start. */
  horizonSeconds: number;
}

/** A zone's forecaster and what it said last. */
interface Watched {
  forecaster: PooledForecaster;
  hour: number;
  outlook: Outlook;
}

/** What is expected of a zone at one hour. */
class Outlook {
  readonly curve: HourlyCurve;
  /** No hour of the curve is below it, gCO2eq/kWh. */
  readonly least: number;
  readonly #forecaster: PooledForecaster;
  readonly #nowSeconds: number;

  constructor(forecaster: PooledForecaster, nowSeconds: number) {
    this.#forecaster = forecaster;
    this.#nowSeconds = nowSeconds;
    this.curve = forecaster.curveAt(nowSeconds);
    this.least = this.curve.least();
  }

  /** `PooledForecaster.waitErrorsAt` for a run of `seconds`. */
  waitErrors(seconds: number): RunErrors {
    return this.#forecaster.waitErrorsAt(this.#nowSeconds, seconds / HOUR_SECONDS);
  }
}

/** The year as it was, and as it could be known at each hour of it. */
export class World {
  readonly power: PowerModel;
  readonly objective: PolicyResult["objective"];
  readonly horizonSeconds: number;
  readonly #series: ReadonlyMap<string, HourlySeries>;
  readonly #truth = new Map<string, HourlyCurve>();
  readonly #watched = new Map<string, Watched>();
  readonly #pool: ZonePool;

  constructor({ series, sites, power, objective, horizonSeconds }: Recorded) {
    this.power = power;
    this.objective = objective;
    this.horizonSeconds = horizonSeconds;
    this.#series = series;
    this.#pool = new ZonePool(series, sites);
    for (const [zone, { start, values }] of series) {
      this.#truth.set(zone, new HourlyCurve(start, values, { source: "measured", issuedAt: null, until: null }));
    }
  }

  /** Grams of CO2 that the job really causes. */
  grams({ durationSeconds }: Job, candidate: Candidate, start: number): number {
    const intensity = this.truth(candidate).meanOver(start, durationSeconds);
    return powerKw(this.power, candidate) * intensity * (durationSeconds / HOUR_SECONDS);
  }

  /** What was measured in the zone of `candidate`, the future too: for the bound and for the final account alone. */
  truth({ electricityZone }: Candidate): HourlyCurve {
    const curve = this.#truth.get(electricityZone ?? "");
    if (curve === undefined) throw new TypeError(`no series of the zone ${String(electricityZone)}`);
    return curve;
  }

  /** Mean of all hours of a zone that were over at `now`, or of the year before where none was. */
  meanSoFar({ electricityZone }: Candidate, nowSeconds: number): number {
    const series = this.#series.get(electricityZone ?? "");
    const known = this.hoursOver(electricityZone ?? "", nowSeconds);
    const truth = this.#truth.get(electricityZone ?? "");
    if (series === undefined || truth === undefined) return Number.POSITIVE_INFINITY;
    return known === 0
      ? (series.before ?? Number.POSITIVE_INFINITY)
      : truth.meanOver(series.start, known * HOUR_SECONDS);
  }

  /** The last measured hours of a zone, the newest last; at most `count`. */
  lastHours(zone: string, nowSeconds: number, count: number): Float64Array {
    const known = this.hoursOver(zone, nowSeconds);
    return this.#series.get(zone)?.values.subarray(Math.max(0, known - count), known) ?? new Float64Array(0);
  }

  /** How many hours of a zone are over at `now`. */
  hoursOver(zone: string, nowSeconds: number): number {
    const series = this.#series.get(zone);
    if (series === undefined) return 0;
    return Math.min(series.values.length, Math.max(0, Math.floor((nowSeconds - series.start) / HOUR_SECONDS)));
  }

  /** The embedded forecast of a zone from the hours that are over at `now`. */
  forecast(zone: string, nowSeconds: number): Outlook {
    const series = this.#series.get(zone);
    if (series === undefined) throw new TypeError(`no series of the zone ${zone}`);
    const hour = Math.floor(nowSeconds / HOUR_SECONDS);
    const before = this.#watched.get(zone);
    if (before?.hour === hour) return before.outlook;
    const forecaster = before?.forecaster ?? new PooledForecaster(zone, series, this.#pool);
    forecaster.advance(nowSeconds);
    const outlook = new Outlook(forecaster, nowSeconds);
    this.#watched.set(zone, { forecaster, hour, outlook });
    return outlook;
  }
}
