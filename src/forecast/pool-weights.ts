import { BUCKETS } from "./lead-buckets.ts";
import { firstWeights } from "./lead-weights.ts";
import { POOL_FEATURES as SIZE } from "./pool-zone.ts";
import { solveRidge } from "./solve-ridge.ts";

/** How many hours, each with its usual error, the first weights count as against what all zones taught, and that against one zone. */
const FIRST_HOURS = 50;
const POOL_HOURS = 300;
/** Surprises beyond this many usual errors count as so many. */
const GREATEST = 5;

/** What one zone, or all of them, taught: by bucket of leads X'X up to the diagonal, and X'y. */
export class PoolSums {
  readonly #gram = new Float64Array(BUCKETS * SIZE * SIZE);
  readonly #moment = new Float64Array(BUCKETS * SIZE);
  readonly #scaled = new Float64Array(SIZE);

  /** Takes note of what `row` should have given; both count in `usual` errors. */
  observe(bucket: number, row: Float64Array, { wanted, usual }: { wanted: number; usual: number }): void {
    const [gram, moment, scaled] = [this.#gram, this.#moment, this.#scaled];
    for (let i = 0; i < SIZE; i++) scaled[i] = (row[i] ?? 0) / usual;
    const aim = Math.min(GREATEST, Math.max(-GREATEST, wanted / usual));
    const first = bucket * SIZE;
    for (let i = 0; i < SIZE; i++) {
      const value = scaled[i] ?? 0;
      moment[first + i] = (moment[first + i] ?? 0) + value * aim;
      const at = (first + i) * SIZE;
      for (let j = 0; j <= i; j++) gram[at + j] = (gram[at + j] ?? 0) + value * (scaled[j] ?? 0);
    }
  }

  /** Adds what another taught. */
  add(other: PoolSums): void {
    for (let at = 0; at < this.#gram.length; at++) this.#gram[at] = (this.#gram[at] ?? 0) + (other.#gram[at] ?? 0);
    for (let at = 0; at < this.#moment.length; at++) {
      this.#moment[at] = (this.#moment[at] ?? 0) + (other.#moment[at] ?? 0);
    }
  }

  /** The weights of all buckets, one after the other, near to `prior`, which counts as so many `hours`. */
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

/** What all zones taught, for a zone that nothing is known of. */
export function learnShared(zones: readonly PoolSums[]): Float64Array {
  const all = new PoolSums();
  for (const zone of zones) all.add(zone);
  return all.solve(FIRST, FIRST_HOURS);
}

/** For each zone the weights that its own hours teach where they are many, and those of all zones where they are few. */
export function learnWeights(zones: readonly PoolSums[]): Float64Array[] {
  const shared = learnShared(zones);
  return zones.map((zone) => zone.solve(shared, POOL_HOURS));
}
