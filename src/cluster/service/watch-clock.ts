import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";

export interface ClockWatch {
  log: Pick<Logger, "warn">;
  /** Ms since 1970; the process's clock if omitted. */
  nowMs?: () => number;
  /** Ms by a clock that is never set; the process's if omitted. */
  elapsedMs?: () => number;
  /** Ms between two looks. */
  everyMs?: number;
}

/** A smaller step is of a clock that is being corrected. */
const STEP_MS = 300_000;

/**
 * Logs and counts steps of this process's clock by more than five minutes: someone set it, or the machine slept. What goes by the clock
 * (starts, deadlines, the age of bundles and forecasts, certificates) moves with it. Returns a function that stops it.
 */
export function watchClock(
  registry: Registry,
  { log, nowMs = Date.now, elapsedMs = () => performance.now(), everyMs = 10_000 }: ClockWatch,
): () => void {
  const steps = new Counter({
    name: "landfall_clock_steps_total",
    help: "Steps of this process's clock by more than five minutes.",
    labelNames: ["direction"],
    registers: [registry],
  });
  const offset = (): number => nowMs() - elapsedMs();
  let known = offset();

  function look(): void {
    const step = offset() - known;
    known += step;
    if (Math.abs(step) <= STEP_MS) return;
    steps.inc({ direction: step > 0 ? "forward" : "back" });
    log.warn({ seconds: Math.round(step / 1000) }, "this process's clock was set, or its machine slept");
  }

  const timer = setInterval(look, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
