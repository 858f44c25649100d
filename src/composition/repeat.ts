import type { Logger } from "pino";
import { messageOf } from "../errors.ts";

export interface RepeatOptions {
  /** Milliseconds between two runs. */
  everyMs: number;
  log: Logger;
  /** The log line of a run that failed. */
  failure: string;
}

/**
 * Runs `work` at intervals, never twice at the same time; a failure is logged. Returns a function that stops it and awaits a
 * run that is underway.
 */
export function repeat(
  work: () => Promise<void> | void,
  { everyMs, log, failure }: RepeatOptions,
): () => Promise<void> {
  let underway: Promise<void> | null = null;
  const once = async (): Promise<void> => {
    await work();
  };
  const timer = setInterval(() => {
    underway ??= once()
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
