import type { FastifyBaseLogger } from "fastify";
import type { BundleReport } from "../../src/model/bundle-format/bundle-report.ts";
import type { BundleEvent } from "./bundle-status.ts";
import type { BundleReporter } from "./report-bundles.ts";
import type { WatchOptions } from "./watch-options.ts";

export interface BundleEventSinks {
  logger: Pick<FastifyBaseLogger, "info" | "warn">;
  recordEvent: (event: { type: "Normal" | "Warning"; reason: string; message: string }) => void;
  bundleReports?: BundleReporter | null;
}

/** Logs what happens to bundles; what changes decisions becomes an Event as well, and is kept as `report` then gives it. */
export function logBundleEvents(
  { logger, recordEvent, bundleReports }: BundleEventSinks,
  report: () => BundleReport,
): WatchOptions["onEvent"] {
  const recorded: Partial<Record<BundleEvent, { type: "Normal" | "Warning"; reason: string }>> = {
    "bundle active": { type: "Normal", reason: "BundleActive" },
    "bundle not used": { type: "Warning", reason: "BundleNotUsed" },
    "highest version unknown": { type: "Warning", reason: "BundleVersionRecord" },
  };
  return (event, fields) => {
    logger[event === "bundle active" ? "info" : "warn"](fields, event);
    const known = recorded[event];
    if (known === undefined) return;
    recordEvent({ ...known, message: JSON.stringify(fields) });
    bundleReports?.write(report);
  };
}
