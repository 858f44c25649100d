import { type Budgets, type BudgetSettings, limitsPlaces, type LoadTable } from "../model/places/load.ts";
import type { Candidate } from "../model/policy.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import { startAt, type Starts } from "./possible-starts.ts";

/** Sums of vCPU may contain rounding errors. */
const FULL = 1 + 1e-9;
/** The amounts of a candidate that a budget checks and counts. */
export const budgetedVcpus = ({ vcpus, mostVcpus }: Pick<Candidate, "vcpus" | "mostVcpus">): number =>
  mostVcpus ?? vcpus;

/** An hour after all others. */
const NEVER = 2 ** 31 - 1;

/** The headroom of a place at every start. */
export interface Headroom {
  /** The factor for the score, at least 1; infinite if the place is full in any hour of the run. */
  factorAt(index: number): number;
}

export interface HeadroomRequest {
  candidate: Pick<Candidate, "place" | "vcpus" | "mostVcpus">;
  starts: Starts;
  /** Duration of the run, or of the part of it that is scored. */
  seconds: number;
  load: LoadTable | undefined;
  budgets: Budgets;
}

function factorOf(share: number, softLimit: Budgets["softLimit"]): number {
  if (share > FULL) return Number.POSITIVE_INFINITY;
  if (softLimit === undefined || share <= softLimit.from) return 1;
  return 1 + (softLimit.surcharge * (share - softLimit.from)) / Math.max(1 - softLimit.from, Number.EPSILON);
}

/** The greatest of any range of values, in time that grows with the logarithm of their number. */
class RangeMaxima {
  readonly #count: number;
  /** Of each pair of the level below, from index 1; the values themselves from `#count` on. */
  readonly #tree: Float64Array;

  constructor(values: Float64Array) {
    this.#count = values.length;
    this.#tree = new Float64Array(2 * values.length);
    this.#tree.set(values, values.length);
    for (let at = values.length - 1; at > 0; at--)
      this.#tree[at] = Math.max(this.#tree[2 * at] ?? 0, this.#tree[2 * at + 1] ?? 0);
  }

  /** The greatest of the values from `from` up to but not including `to`; 0 if there are none. */
  of(from: number, to: number): number {
    let most = 0;
    let [left, right] = [Math.max(from, 0) + this.#count, Math.min(to, this.#count) + this.#count];
    for (; left < right; left >>= 1, right >>= 1) {
      if ((left & 1) === 1) most = Math.max(most, this.#tree[left++] ?? 0);
      if ((right & 1) === 1) most = Math.max(most, this.#tree[--right] ?? 0);
    }
    return most;
  }
}

/** Utilisation of a place in the hours of all starts, with the candidate included. */
class Hours {
  readonly #request: HeadroomRequest;
  readonly #first: number;
  /** Utilisation by hours since the first one, and for each hour the next hour that is full. */
  #table: { shares: RangeMaxima; nextFull: Int32Array } | null = null;

  constructor(request: HeadroomRequest) {
    this.#request = request;
    this.#first = Math.floor(startAt(request.starts, 0) / HOUR_SECONDS);
  }

  /** The highest utilisation of the hours from `from` up to but not including `to`. */
  fullest(from: number, to: number): number {
    if (this.#table !== null) return this.#table.shares.of(from - this.#first, to - this.#first);
    let most = 0;
    for (let hour = from; hour < to; hour++) most = Math.max(most, this.#share(hour));
    return most;
  }

  /** Whether one of these hours is full. Computes a table of all hours once, because many starts are examined. */
  isFull(from: number, to: number): boolean {
    this.#table ??= this.#makeTable();
    return (this.#table.nextFull[from - this.#first] ?? to) < to;
  }

  #share(hour: number): number {
    const { load, budgets, candidate } = this.#request;
    const { place } = candidate;
    const vcpus = budgetedVcpus(candidate);
    return ((load?.at(place, hour) ?? 0) + vcpus) / budgets.limitAt(place, hour, vcpus);
  }

  #makeTable(): { shares: RangeMaxima; nextFull: Int32Array } {
    const { starts, seconds } = this.#request;
    const count = Math.ceil((startAt(starts, starts.count) + seconds) / HOUR_SECONDS) - this.#first;
    const shares = Float64Array.from({ length: count }, (_, index) => this.#share(this.#first + index));
    const nextFull = new Int32Array(count);
    let full = NEVER;
    for (let index = count - 1; index >= 0; index--) {
      if ((shares[index] ?? 0) > FULL) full = this.#first + index;
      nextFull[index] = full;
    }
    return { shares: new RangeMaxima(shares), nextFull };
  }
}

/** The headroom of a place. The first start costs its own hours, every further one almost nothing. */
export function headroom(request: HeadroomRequest): Headroom {
  const { starts, seconds, budgets } = request;
  const hours = new Hours(request);
  let asked = 0;
  return {
    factorAt(index) {
      const start = startAt(starts, index);
      const from = Math.floor(start / HOUR_SECONDS);
      const to = Math.ceil((start + seconds) / HOUR_SECONDS);
      if (asked++ > 0 && hours.isFull(from, to)) return Number.POSITIVE_INFINITY;
      return factorOf(hours.fullest(from, to), budgets.softLimit);
    },
  };
}

/** The platform's budgets, given the current load; null if the settings set no limit. */
export function platformBudgets(settings: BudgetSettings, load: LoadTable): Budgets | null {
  const { vcpus, places, maxRegionShare, shareFloorVcpus, nearFull } = settings;
  if (!limitsPlaces(settings)) return null;
  const limitAt: Budgets["limitAt"] = (place, hour, adding) => {
    const most = places[place] ?? vcpus ?? Number.POSITIVE_INFINITY;
    if (maxRegionShare === null) return most;
    return Math.min(most, Math.max(shareFloorVcpus, maxRegionShare * (load.totalAt(hour) + adding)));
  };
  return { limitAt, softLimit: nearFull };
}
