import { dot } from "./dot.ts";
import { DECAY_HOURS, FEATURES } from "./features.ts";
import { lastHourOf } from "./lead-buckets.ts";
import { solveRidge } from "./solve-ridge.ts";

/** A day's weight decays to 1/e after 100 days. */
const MEMORY_PER_DAY = 0.99;
/** The prior counts as this many hours, each with the zone's usual error. */
const PRIOR_HOURS = 100;

/** Initial weights: half the mean of four weeks, and the decaying last error. `size`: at least FEATURES. */
export function firstWeights(bucket: number, size = FEATURES): Float64Array {
  const weights = new Float64Array(size);
  weights[0] = Math.exp(-lastHourOf(bucket) / DECAY_HOURS);
  weights[3] = 0.5 * Math.exp(-lastHourOf(bucket) / 48);
  weights[7] = 0.3;
  return weights;
}

/** Learns the weights of the features of features.ts for the leads of one bucket. */
export class LeadWeights {
  weights: Float64Array;
  readonly #prior: Float64Array;
  /** X'X up to the diagonal, and X'y. */
  readonly #gram = new Float64Array(FEATURES * FEATURES);
  readonly #moment = new Float64Array(FEATURES);
  /** Decayed sums of squared errors and their count. */
  #squares = 0;
  #count = 0;

  constructor(bucket: number) {
    this.#prior = firstWeights(bucket);
    this.weights = this.#prior;
  }

  /** Adds a sample: `row` and its target. */
  observe(row: Float64Array, wanted: number): void {
    const error = wanted - dot(this.weights, 0, row);
    this.#squares += error * error;
    this.#count += 1;
    for (let i = 0; i < FEATURES; i++) {
      const value = row[i] ?? 0;
      this.#moment[i] = (this.#moment[i] ?? 0) + value * wanted;
      const at = i * FEATURES;
      for (let j = 0; j <= i; j++) this.#gram[at + j] = (this.#gram[at + j] ?? 0) + value * (row[j] ?? 0);
    }
  }

  /** Updates the weights; older days count less. */
  learn(): void {
    const usual = this.#count === 0 ? 1 : this.#squares / this.#count;
    this.weights = solveRidge(this.#gram, this.#moment, this.#prior, Math.max(1, PRIOR_HOURS * usual));
    for (let i = 0; i < this.#gram.length; i++) this.#gram[i] = (this.#gram[i] ?? 0) * MEMORY_PER_DAY;
    for (let i = 0; i < FEATURES; i++) this.#moment[i] = (this.#moment[i] ?? 0) * MEMORY_PER_DAY;
    this.#squares *= MEMORY_PER_DAY;
    this.#count *= MEMORY_PER_DAY;
  }
}
