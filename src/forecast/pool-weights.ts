import { BUCKETS } from "./lead-buckets.ts";
import { firstWeights } from "./lead-weights.ts";
import { POOL_FEATURES as SIZE } from "./pool-zone.ts";
import { solveRidge } from "./solve-ridge.ts";

/** Weight of the initial weights against all zones' data, and of those against one zone's, in hours with the usual error. */
const FIRST_HOURS = 50;
const POOL_HOURS = 300;
/** Larger errors are clipped to this many usual errors. */
const GREATEST = 5;

/** Training sums of one zone or of all: by bucket of leads X'X up to the diagonal, and X'y. */
export class PoolSums {
  readonly #gram = new Float64Array(BUCKETS * SIZE * SIZE);
  readonly #moment = new Float64Array(BUCKETS * SIZE);
  readonly #scaled = new Float64Array(SIZE);

  /** Adds a sample: `row` and its target, scaled by the `usual` error. */
  observe(bucket: number, row: Float64Array, { wanted, usual }: { wanted: number; usual: number }): void {
    const [gram, moment, scaled] = [this.#gram, this.#moment, this.#scaled];
    for (let i = 0; i < SIZE; i++) scaled[i] = (row[i] ?? 0) / usual;
    const aim = Math.min(GREATEST, Math.max(-GREATEST, wanted / usual));
    const first = bucket * SIZE;
    for (let i = 0; i < SIZE; i++) {
      const value = scaled[i] ?? 0;
      // Of a zone without neighbours a third of the figures are zeros.
      if (value === 0) continue;
      moment[first + i] = (moment[first + i] ?? 0) + value * aim;
      const at = (first + i) * SIZE;
      for (let j = 0; j <= i; j++) gram[at + j] = (gram[at + j] ?? 0) + value * (scaled[j] ?? 0);
    }
  }

  /** Adds another zone's sums. */
  add(other: PoolSums): void {
    for (let at = 0; at < this.#gram.length; at++) this.#gram[at] = (this.#gram[at] ?? 0) + (other.#gram[at] ?? 0);
    for (let at = 0; at < this.#moment.length; at++) {
      this.#moment[at] = (this.#moment[at] ?? 0) + (other.#moment[at] ?? 0);
    }
  }

  /** The weights of all buckets in sequence, regularised towards `prior`, which counts as this many `hours`. */
  solve(prior: Float64Array, hours: number): Float64Array {
    const weights = new Float64Array(BUCKETS * SIZE);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const [from, to] = [bucket * SIZE, (bucket + 1) * SIZE];
      const gram = this.#gram.subarray(from * SIZE, to * SIZE);
      weights.set(solveRidge(gram, this.#moment.subarray(from, to), prior.subarray(from, to), hours), from);
    }
    return weights;
  }
}

const FIRST = new Float64Array(BUCKETS * SIZE);
for (let bucket = 0; bucket < BUCKETS; bucket++) FIRST.set(firstWeights(bucket, SIZE), bucket * SIZE);

/** Weights from all zones, for a zone without data. */
export function learnShared(zones: readonly PoolSums[]): Float64Array {
  const all = new PoolSums();
  for (const zone of zones) all.add(zone);
  return all.solve(FIRST, FIRST_HOURS);
}

/** For each zone, a blend of its own weights and those of all zones, by the amount of its data. */
export function learnWeights(zones: readonly PoolSums[]): Float64Array[] {
  const shared = learnShared(zones);
  return zones.map((zone) => zone.solve(shared, POOL_HOURS));
}
