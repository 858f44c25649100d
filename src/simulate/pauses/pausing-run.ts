import type { PauseRules, Segment } from "../../model/runs/pause-rules.ts";
import type { RunActivity } from "../../model/runs/run-times.ts";

/** The past of one run, and its remaining work. */
export class PausingRun {
  /** When the machine was on so far. */
  readonly on: Segment[] = [];
  state: RunActivity = { is: "waiting" };
  workSeconds: number;
  pauses: number;
  /** Not decided again before: a resume that has begun ends first. Seconds since 1970. */
  busyUntil = Number.NEGATIVE_INFINITY;
  readonly #resumeSeconds: number;

  constructor(workSeconds: number, { maxPauses, resumeSeconds }: PauseRules) {
    this.workSeconds = workSeconds;
    this.pauses = maxPauses;
    this.#resumeSeconds = resumeSeconds;
  }

  get done(): boolean {
    return this.workSeconds <= 0;
  }

  /** Follows a plan that was made at `now` until `next`. */
  follow(plan: readonly Segment[], now: number, next: number): void {
    for (const segment of plan) {
      if (this.state.is === "running" && segment.start > now) this.#pause();
      if (segment.start >= next) return;
      this.#work(segment, now, next);
      now = segment.end;
      if (segment.end >= next) return;
    }
  }

  #pause(): void {
    this.state = { is: "paused" };
    this.pauses -= 1;
  }

  #work({ start, end }: Segment, now: number, next: number): void {
    const running = this.state.is === "running" ? this.state.seconds : null;
    const begins = running === null && this.state.is === "paused" ? start + this.#resumeSeconds : start;
    const until = Math.min(end, Math.max(next, begins));
    if (running === null) this.on.push({ start, end: until });
    const last = this.on.at(-1);
    if (last !== undefined) last.end = until;
    const worked = until - (running === null ? begins : now);
    this.workSeconds -= worked;
    if (this.workSeconds < 1e-6) this.workSeconds = 0;
    this.state = { is: "running", seconds: (running ?? 0) + worked };
    this.busyUntil = begins;
  }
}
