import type { Logger } from "pino";
import { LandfallError, messageOf } from "../../errors.ts";

/** Logs that a watch failed. */
export const logLost =
  (log: Logger) =>
  (path: string, thrown: unknown, failures: number): void => {
    log.warn({ path, failures, error: messageOf(thrown) }, "watch failed; trying again");
  };

/** Logs that a key of the queue failed. */
export const logRetry =
  (log: Logger) =>
  (key: string, thrown: unknown, retryMs: number): void => {
    const code = thrown instanceof LandfallError ? thrown.code : "unexpected";
    log.warn({ key, code, error: messageOf(thrown), retryMs }, "reconcile failed");
  };
