import type { Logger } from "pino";
import { messageOf } from "../errors.ts";

export interface RepeatOptions {
  /** Milliseconds between two runs. */
  everyMs: number;
  log: Logger;
  /** The log line of a run that failed. */
  failure: string;
}

/** Runs `work` at intervals, never twice at the same time. Returns a function that stops it and awaits a run that is underway. */
export function repeat(work: () => Promise<void>, { everyMs, log, failure }: RepeatOptions): () => Promise<void> {
  let underway: Promise<void> | null = null;
  const timer = setInterval(() => {
    underway ??= work()
      .catch((thrown: unknown) => {
        log.warn({ error: messageOf(thrown) }, failure);
      })
      .finally(() => {
        underway = null;
      });
  }, everyMs);
  return async () => {
    clearInterval(timer);
    await underway;
  };
}
