import type { Logger } from "pino";
import { hasStatus } from "../../cluster/client/api-error.ts";
import { LandfallError, messageOf } from "../../errors.ts";

/** Logs that a watch failed. */
export const logLost =
  (log: Logger) =>
  (path: string, thrown: unknown, failures: number): void => {
    const detail = messageOf(thrown);
    const error = hasStatus(thrown, 403) ? new LandfallError("REL_WATCH", { path, detail }).line : detail;
    log.warn({ path, failures, error }, "watch failed; trying again");
  };

/** Logs that a key of the queue failed. */
export const logRetry =
  (log: Logger) =>
  (key: string, thrown: unknown, retryMs: number): void => {
    const code = thrown instanceof LandfallError ? thrown.code : "unexpected";
    log.warn({ key, code, error: messageOf(thrown), retryMs }, "reconcile failed");
  };
