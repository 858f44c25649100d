import type { LoadTable } from "../model/load.ts";
import type { PlaceKey } from "../model/workload.ts";

/** A workload that would be placed. Hours are numbers of hours since 1970; `to` is the first one that it does not touch. */
export interface PlannedRun {
  place: PlaceKey;
  from: number;
  to: number;
  vcpus: number;
}

/** What is placed already, and a few plans on top that come and go. */
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
