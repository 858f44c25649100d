import type { LoadTable, PlacedWorkload } from "../model/places/load.ts";
import { HOUR_SECONDS } from "../model/time.ts";
import type { PlaceKey } from "../model/workload.ts";

/** Changes of load by hour; after `settle`, the load from that hour on. */
class Steps {
  readonly #changes = new Map<number, number>();
  #hours: number[] = [];
  #sums: number[] = [];

  add(hour: number, vcpus: number): void {
    this.#changes.set(hour, (this.#changes.get(hour) ?? 0) + vcpus);
  }

  settle(): void {
    let sum = 0;
    this.#hours = [...this.#changes.keys()].sort((a, b) => a - b);
    this.#sums = this.#hours.map((hour) => (sum += this.#changes.get(hour) ?? 0));
  }

  /** vCPU in this hour: the value after the last change at or before it. */
  at(hour: number): number {
    let [low, high] = [0, this.#hours.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#hours[middle] ?? 0) <= hour) low = middle + 1;
      else high = middle;
    }
    return this.#sums[low - 1] ?? 0;
  }
}

/**
 * Load of placed workloads by place and hour. A workload counts in every hour that it touches, one without an end in
 * every hour after its start, one without a start in every hour before its end.
 */
export function loadTable(workloads: Iterable<PlacedWorkload>): LoadTable {
  const places = new Map<PlaceKey, Steps>();
  const total = new Steps();
  for (const { place, start, end, vcpus } of workloads) {
    if (place === null) continue;
    const steps = places.get(place) ?? new Steps();
    places.set(place, steps);
    for (const table of [steps, total]) {
      table.add(start === null ? Number.NEGATIVE_INFINITY : Math.floor(start / HOUR_SECONDS), vcpus);
      if (end !== null) table.add(Math.ceil(end / HOUR_SECONDS), -vcpus);
    }
  }
  for (const table of [...places.values(), total]) table.settle();
  return { at: (place, hour) => places.get(place)?.at(hour) ?? 0, totalAt: (hour) => total.at(hour) };
}

/** A planned workload. Hours are counted since 1970; `to` is the first hour that the run does not touch. */
export interface PlannedRun {
  place: PlaceKey;
  from: number;
  to: number;
  vcpus: number;
}

/** The load of placed workloads, plus temporary plans. */
export class PlannedLoad implements LoadTable {
  readonly #placed: LoadTable | undefined;
  readonly #runs = new Set<PlannedRun>();

  constructor(placed: LoadTable | undefined) {
    this.#placed = placed;
  }

  add(run: PlannedRun): void {
    this.#runs.add(run);
  }

  remove(run: PlannedRun): void {
    this.#runs.delete(run);
  }

  at(place: PlaceKey, hour: number): number {
    let sum = this.#placed?.at(place, hour) ?? 0;
    for (const run of this.#runs) if (run.place === place && run.from <= hour && hour < run.to) sum += run.vcpus;
    return sum;
  }

  totalAt(hour: number): number {
    let sum = this.#placed?.totalAt(hour) ?? 0;
    for (const run of this.#runs) if (run.from <= hour && hour < run.to) sum += run.vcpus;
    return sum;
  }
}
