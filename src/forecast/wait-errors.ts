import { HORIZON_HOURS } from "./lead-buckets.ts";

/**
 * Grid of hours of waiting and of run lengths: errors are interpolated between waits, and the nearest run length is
 * used.
 */
const WAITS = [0, 1, 2, 3, 6, 12, 18, 24, 36, 48, 72, 96, 120, 144, 168];
const RUNS = [1, 2, 4, 8, 13, 18, 24];
/** A day's weight decays to 1/e after 66 days. */
const MEMORY_PER_DAY = 0.985;

const nearestRun = (hours: number): number =>
  RUNS.reduce((best, run, at) => (Math.abs(run - hours) < Math.abs((RUNS[best] ?? 0) - hours) ? at : best), 0);

/**
 * Errors of the forecast difference: (mean of a run that starts in n hours - mean of the same run started now). They
 * are far smaller than the error of either mean if both runs overlap or an error persists.
 */
export class WaitErrors {
  readonly #squares = new Float64Array(RUNS.length * WAITS.length);
  readonly #sums = new Float64Array(HORIZON_HOURS + 1);
  #count = 0;

  /** Adds a forecast whose hours have all ended; `from`: the first of them in `values`. */
  observe(forecast: Float64Array, values: Float64Array, from: number): void {
    const sums = this.#sums;
    for (let lead = 0; lead < HORIZON_HOURS; lead++) {
      sums[lead + 1] = (sums[lead] ?? 0) + (values[from + lead] ?? 0) - (forecast[lead] ?? 0);
    }
    for (const run of RUNS.keys()) this.#observeRun(run);
    this.#count += 1;
  }

  #observeRun(run: number): void {
    const sums = this.#sums;
    const hours = RUNS[run] ?? 1;
    for (const [at, wait] of WAITS.entries()) {
      const error = ((sums[wait + hours] ?? 0) - (sums[wait] ?? 0) - (sums[hours] ?? 0)) / hours;
      const index = run * WAITS.length + at;
      this.#squares[index] = (this.#squares[index] ?? 0) + error * error;
    }
  }

  /** Decays the weights by one day. */
  age(): void {
    for (let at = 0; at < this.#squares.length; at++) this.#squares[at] = (this.#squares[at] ?? 0) * MEMORY_PER_DAY;
    this.#count *= MEMORY_PER_DAY;
  }

  /** The present standard errors. */
  snapshot(): Float64Array {
    return this.#squares.map((squares) => (this.#count === 0 ? 0 : Math.sqrt(squares / this.#count)));
  }
}

/** The errors for runs of one length. */
export interface RunErrors {
  /** By whole hours of waiting, 0 to 168: standard error, gCO2eq/kWh. */
  errors: Float64Array;
  greatest: number;
}

/** A snapshot, interpolated to all hours on demand. */
export class WaitErrorsOfDay {
  readonly #snapshot: Float64Array;
  readonly #byRun: (RunErrors | undefined)[] = [];

  constructor(snapshot: Float64Array) {
    this.#snapshot = snapshot;
  }

  /** The errors of the measured length nearest to `runHours`. */
  of(runHours: number): RunErrors {
    const run = nearestRun(runHours);
    return (this.#byRun[run] ??= this.#spread(run * WAITS.length));
  }

  #spread(first: number): RunErrors {
    const errors = new Float64Array((WAITS.at(-1) ?? 0) + 1);
    for (let at = 1; at < WAITS.length; at++) {
      const [from, to] = [WAITS[at - 1] ?? 0, WAITS[at] ?? 0];
      const [low, high] = [this.#snapshot[first + at - 1] ?? 0, this.#snapshot[first + at] ?? 0];
      for (let hour = from + 1; hour <= to; hour++) errors[hour] = low + ((high - low) * (hour - from)) / (to - from);
    }
    return {
      errors,
      greatest: this.#snapshot.subarray(first, first + WAITS.length).reduce((a, b) => Math.max(a, b), 0),
    };
  }
}
