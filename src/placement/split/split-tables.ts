import type { Segment } from "../../model/runs/pause-rules.ts";
import { costOver, type RunGrid, type SplitRequest } from "./split-request.ts";

const NEVER = Number.POSITIVE_INFINITY;
/** A pause or a later start has to save more than rounding: share of the mean intensity. */
const ROUNDING = 1e-9;

const valueAt = (values: Float64Array, at: number): number => values[at] ?? NEVER;

/** A moment of a run: `left` steps of work, `pauses` and the index of the time on the grid. */
export interface Moment {
  pauses: number;
  left: number;
  at: number;
}

/**
 * The least cost of the rest of a run from each moment, by dynamic programming backwards over the grid. The last step of
 * work may be a part of a step; all others are full. A part of the run that follows a pause works for `least` steps
 * or more.
 */
export class SplitTables {
  /** Steps of work, the last of them partial; those of a part before a pause. */
  readonly steps: number;
  readonly least: number;
  readonly #request: SplitRequest;
  readonly #grid: RunGrid;
  /** Seconds of the last step. */
  readonly #rest: number;
  /** Steps that the last part of the run needs. */
  readonly #leastLast: number;
  /** Steps that a pause takes at least: the resume is at its end. */
  readonly #gap: number;
  /** By index: cost of the last step, and of the waiting until its end; without and with a resume before it. */
  readonly #finish: Float64Array;
  readonly #finishResumed: Float64Array;
  /** By index: cost of a resume that ends then. */
  readonly #resume: Float64Array;
  readonly #pauseCost: number;
  /** By pauses, then steps left and time: cost while the machine runs and may pause, and while it is paused. */
  readonly #running: Float64Array[] = [];
  readonly #paused: Float64Array[] = [];

  constructor(request: SplitRequest, grid: RunGrid, workSeconds: number) {
    const { minRunSeconds, resumeSeconds, maxPauses } = request.rules;
    const { step, count } = grid;
    this.#request = request;
    this.#grid = grid;
    this.steps = Math.max(1, Math.ceil(workSeconds / step));
    this.least = Math.max(1, Math.ceil(minRunSeconds / step));
    this.#rest = workSeconds - (this.steps - 1) * step;
    const last = Math.min(minRunSeconds, request.workSeconds);
    this.#leastLast = Math.max(1, 1 + Math.ceil((last - this.#rest) / step));
    this.#gap = Math.max(1, Math.ceil(resumeSeconds / step));
    const scale = ROUNDING * Math.abs(request.curve.meanOver(request.nowSeconds, workSeconds));
    this.#pauseCost = request.pauseCost + scale * step;
    const times = (cost: (at: number) => number): Float64Array =>
      Float64Array.from({ length: count + 1 }, (_, at) => cost(at));
    this.#finish = times((at) => this.#costOfEnd(at, scale, 0));
    this.#finishResumed = times((at) => this.#costOfEnd(at, scale, request.reserveSeconds));
    this.#resume = times((at) => costOver(request, this.timeOf(at) - resumeSeconds, resumeSeconds));
    for (let pauses = 0; pauses <= maxPauses; pauses++) this.#fill(pauses);
  }

  timeOf(at: number): number {
    return this.#grid.first + at * this.#grid.step;
  }

  /** Cost of the rest of the run while the machine runs and has worked for long enough to pause. */
  running({ pauses, left, at }: Moment): number {
    if (at > this.#grid.count) return NEVER;
    return left <= 0 ? 0 : (this.#running[pauses]?.[left * (this.#grid.count + 1) + at] ?? NEVER);
  }

  /** Cost of the rest of the run if the machine begins to work then, for at least `least` steps. */
  begun({ pauses, left, at }: Moment, least = this.least): number {
    const { sums, count } = this.#grid;
    if (at + Math.min(left - 1, least) > count) return NEVER;
    const from = valueAt(sums, at);
    if (left <= least) return valueAt(sums, at + left - 1) - from + valueAt(this.#finishOf(pauses), at + left - 1);
    return valueAt(sums, at + least) - from + this.running({ pauses, left: left - least, at: at + least });
  }

  /** The same with a resume before, which ends then. Infinite if the remaining work is too short for a part of its own. */
  resumed(moment: Moment): number {
    return moment.left < this.#leastLast ? NEVER : valueAt(this.#resume, moment.at) + this.begun(moment);
  }

  /** Cost of the rest of the run if it pauses then. */
  stopped({ pauses, left, at }: Moment): number {
    if (pauses === 0 || left < this.#leastLast) return NEVER;
    const later = at + this.#gap;
    if (later > this.#grid.count) return NEVER;
    return this.#pauseCost + (this.#paused[pauses - 1]?.[left * (this.#grid.count + 1) + later] ?? NEVER);
  }

  /** The parts of the run from a moment at which work begins on a machine that is on since `start`. */
  follow(moment: Moment, start: number, least = this.least): Segment[] {
    const done: Segment[] = [];
    let { pauses, left, at } = moment;
    let since = start;
    let needed = least;
    for (;;) {
      if (left <= needed) return [...done, { start: since, end: this.timeOf(at + left - 1) + this.#rest }];
      [at, left] = [at + needed, left - needed];
      while (left > 1 && this.#goes({ pauses, left, at })) [at, left] = [at + 1, left - 1];
      if (this.#goes({ pauses, left, at })) return [...done, { start: since, end: this.timeOf(at) + this.#rest }];
      done.push({ start: since, end: this.timeOf(at) });
      pauses -= 1;
      at = this.#resumeAfter({ pauses, left, at: at + this.#gap });
      since = this.timeOf(at) - this.#request.rules.resumeSeconds;
      needed = this.least;
    }
  }

  #costOfEnd(at: number, scale: number, reserve: number): number {
    const { nowSeconds, workSeconds, latestEnd, waitingCost } = this.#request;
    const end = this.timeOf(at) + this.#rest;
    if (end > latestEnd - reserve) return NEVER;
    return (
      costOver(this.#request, this.timeOf(at), this.#rest) + (waitingCost + scale) * (end - nowSeconds - workSeconds)
    );
  }

  /** Without a resume only if none is left to be made: no pause is used up, and the run is not paused now. */
  #finishOf(pauses: number): Float64Array {
    const { rules, state } = this.#request;
    return pauses === rules.maxPauses && state.is !== "paused" ? this.#finish : this.#finishResumed;
  }

  /** Cost of the next step without a pause. */
  #go({ pauses, left, at }: Moment): number {
    if (left === 1) return valueAt(this.#finishOf(pauses), at);
    const { sums, count } = this.#grid;
    if (at >= count) return NEVER;
    return valueAt(sums, at + 1) - valueAt(sums, at) + this.running({ pauses, left: left - 1, at: at + 1 });
  }

  #goes(moment: Moment): boolean {
    return this.#go(moment) <= this.stopped(moment);
  }

  /** The best time from which a paused run works again. */
  #resumeAfter(moment: Moment): number {
    const costs = this.#paused[moment.pauses];
    let { at } = moment;
    const row = moment.left * (this.#grid.count + 1);
    while (at < this.#grid.count && this.resumed({ ...moment, at }) > (costs?.[row + at + 1] ?? NEVER)) at += 1;
    return at;
  }

  #fill(pauses: number): void {
    const size = (this.steps + 1) * (this.#grid.count + 1);
    this.#running[pauses] = new Float64Array(size);
    this.#paused[pauses] = new Float64Array(size).fill(NEVER);
    for (let left = 1; left <= this.steps; left++) {
      this.#fillRunning(pauses, left);
      if (left >= this.#leastLast) this.#fillPaused(pauses, left);
    }
  }

  /** `running` for all times: the next step, or a pause. The same sums as `#go` and `stopped`, without their calls. */
  #fillRunning(pauses: number, left: number): void {
    const { sums, count } = this.#grid;
    const width = count + 1;
    const running = this.#running[pauses] ?? sums;
    const [row, fewer] = [left * width, (left - 1) * width + 1];
    if (left === 1) running.set(this.#finishOf(pauses), row);
    else {
      for (let at = 0; at < count; at++)
        running[row + at] = valueAt(sums, at + 1) - valueAt(sums, at) + valueAt(running, fewer + at);
      running[row + count] = NEVER;
    }
    const paused = this.#paused[pauses - 1];
    if (paused === undefined || left < this.#leastLast) return;
    for (let at = 0; at + this.#gap <= count; at++) {
      const stopped = this.#pauseCost + valueAt(paused, row + at + this.#gap);
      if (stopped < valueAt(running, row + at)) running[row + at] = stopped;
    }
  }

  /** The least of `resumed` for all times from each time on, without its calls. */
  #fillPaused(pauses: number, left: number): void {
    const { sums, count } = this.#grid;
    const width = count + 1;
    const [running, paused] = [this.#running[pauses] ?? sums, this.#paused[pauses] ?? sums];
    // A part that is the last one ends with a partial step, any other one leaves steps to `running`.
    const last = left <= this.least;
    const steps = last ? left - 1 : this.least;
    const [rest, from] = last ? [this.#finishOf(pauses), steps] : [running, (left - steps) * width + steps];
    let later = NEVER;
    for (let at = count - steps; at >= 0; at--) {
      const worked = valueAt(sums, at + steps) - valueAt(sums, at);
      later = Math.min(later, valueAt(this.#resume, at) + worked + valueAt(rest, from + at));
      paused[left * width + at] = later;
    }
  }
}
