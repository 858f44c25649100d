import { formatTime } from "../../../src/model/time.ts";
import { type Faults, NO_FAULTS, type Span, STEP } from "./random-run.ts";
import { HOUR, START } from "./run-with-machine.ts";

/** A run that was drawn, and what happens to it. Times in seconds, from START where nothing else is said. */
export interface RandomPlan {
  spec: Record<string, unknown>;
  /** When its machine is to be on, in hours. */
  parts: [from: number, to: number][];
  duration: number;
  /** Infinity without one. */
  limit: number;
  deadline: number;
  faults: Faults;
  /** When its user reports its completion; Infinity for never. */
  completedAt: number;
  /** Seconds after its end until its user asks for another run; Infinity for never. */
  againAfter: number;
}

/** How long runs are looked at, in seconds. */
export const HORIZON = 48 * HOUR;

/** Draws runs and their faults, by a source of numbers in [0, 1). */
export class Draws {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  /** A time in steps; Infinity where `share` does not say that there is one. */
  #time(share: number, least: number, most: number): number {
    const [is, at] = [this.#chance(share), least + this.#random() * (most - least)];
    return is ? Math.round(at / STEP) * STEP : Infinity;
  }

  /** Up to four times, in order. */
  #times(share: number, most: number): number[] {
    const times = [1, 2, 3, 4].map(() => this.#time(share, 0, most)).filter((at) => at !== Infinity);
    return times.sort((one, other) => one - other);
  }

  #spans(share: number, most: number, longest: number): Span[] {
    const count = this.#chance(share) ? Math.ceil(this.#random() * most) : 0;
    return Array.from({ length: count }, () => {
      const from = this.#time(1, 0, 10 * HOUR);
      return [from, from + this.#time(1, 300, longest)] as const;
    });
  }

  #parts(duration: number, pauses: number): [number, number][] {
    const parts: [number, number][] = [];
    let at = 0;
    for (let part = 0; part <= pauses; part += 1) {
      const hours = duration / (pauses + 1) / HOUR + (part > 0 ? 1 / 6 : 0);
      parts.push([at, at + hours]);
      at += hours + Math.round(2 + this.#random() * 6) / 2;
    }
    return parts;
  }

  #faults(isSpot: boolean, end: number): Faults {
    const [outages, holds] = [this.#spans(0.4, 3, 4 * HOUR), this.#spans(0.3, 2, 3 * HOUR)];
    const [shortages, silences] = [this.#spans(0.4, 3, 2 * HOUR), this.#spans(0.2, 2, 2 * HOUR)];
    const evictions = [this.#time(0.6, 0, end), this.#time(0.6, 0, end)].filter((at) => isSpot && at !== Infinity);
    const failures = this.#spans(0.2, 2, 3 * HOUR);
    const [kills, conflicts] = [this.#times(0.3, end), this.#times(0.3, end)];
    const creation = this.#time(0.2, 60, 2 * HOUR);
    const slow = creation === Infinity ? {} : { creation };
    return { outages, holds, shortages, silences, failures, evictions, kills, conflicts, ...slow };
  }

  plan(isCalm: boolean): RandomPlan {
    const duration = Math.round(6 + this.#random() * 30) * 600;
    const pauses = this.#chance(0.4) ? Math.ceil(this.#random() * 3) : 0;
    const parts = this.#parts(duration, pauses);
    const end = (parts.at(-1)?.[1] ?? 0) * HOUR;
    const isSpot = this.#chance(0.3);
    const deadline = this.#time(isSpot || pauses > 0 ? 0.7 : 0, end, end + 6 * HOUR);
    const limit = this.#time(0.4, end, end + 6 * HOUR);
    const whenDone = ["delete", "stop", "keep"][Math.floor(this.#random() * 3)];
    const fields: [name: string, is: boolean, value: unknown][] = [
      ["interruptible", pauses > 0, { minRun: "10m", resumeCost: "10m", maxPauses: 4 }],
      ["capacityType", isSpot, "spot"],
      ["deadline", deadline !== Infinity, formatTime(START + Math.min(deadline, HORIZON))],
      ["maxLifetime", limit !== Infinity, `${String(limit)}s`],
    ];
    const asked = Object.fromEntries(fields.filter(([, is]) => is).map(([name, , value]) => [name, value]));
    const spec = { provider: "gcp", duration: `${String(duration / 60)}m`, whenDone, ...asked };
    const faults = isCalm ? NO_FAULTS : this.#faults(isSpot, end);
    const completedAt = this.#time(0.15, 600, end);
    // Admission denies another run whose deadline has passed.
    const mayAgain = whenDone !== "delete" && deadline === Infinity;
    const againAfter = this.#time(mayAgain ? 0.5 : 0, STEP, 3 * HOUR);
    return { spec, parts, duration, limit, deadline, faults, completedAt, againAfter };
  }
}
