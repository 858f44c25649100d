import { join } from "node:path";
import type { OpenForecasts } from "../../audit/open-forecasts.ts";
import { createClient } from "../../cluster/client/create-client.ts";
import type { ControllerFlags } from "../../flags/controller-options.ts";
import { lineOf } from "../../errors.ts";
import { nowSeconds } from "../../model/time.ts";
import type { CompositionMetrics } from "../context/composition-metrics.ts";
import type { Surroundings } from "./open-parts.ts";

/** The scans of the cluster's objects, which begin with `start`; `stop` also if they never began. */
export interface Audit {
  start(): void;
  stop(): Promise<void>;
}

/** Forecasts for scans; null if there are neither scans nor settings. */
async function forecastsOf(
  flags: ControllerFlags,
  { dataDirectory, log }: Surroundings,
): Promise<OpenForecasts | null> {
  if (flags.bundle === undefined && flags.forecastSettings === undefined) return null;
  const [{ openForecasts }, { forecastHours }] = await Promise.all([
    import("../../audit/open-forecasts.ts"),
    import("../../forecast/forecast-hours.ts"),
  ]);
  return openForecasts(flags.forecastSettings, {
    ...{ folder: join(dataDirectory, "measured"), forecastHours, random: Math.random },
    onProblem: (source, { line }) => {
      log.warn({ source, error: line }, "a source of forecasts failed");
    },
  });
}

/** Begins scans, if a bundle is named. The result ends them. */
function startScans(
  flags: ControllerFlags,
  { config, dataDirectory, log, env }: Surroundings,
  { open, metrics }: { open: OpenForecasts; metrics: Pick<CompositionMetrics, "scanned"> },
): () => Promise<void> {
  const { bundle, bundleSettings, unsigned = false, plainHttp, crane, ca, systemNamespace, auditEvery } = flags;
  const { forecasts, stop } = open;
  if (bundle === undefined) return stop;
  const client = createClient(config);
  const registry = { crane, ca, plainHttp, env };
  const options = { client, systemNamespace, bundle, bundleSettings, unsigned, registry, forecasts, log };
  const starting = Promise.all([
    import("../../audit/start-audit.ts"),
    import("../../bundle/follow/strike-file.ts"),
  ]).then(([{ startAudit }, { openStrikeFile }]) => {
    const strikes = openStrikeFile(join(dataDirectory, "scans", "team-strikes.json"), (thrown) => {
      log.warn({ error: lineOf(thrown) }, "the strikes of teams cannot be kept on disk");
    });
    return startAudit({
      ...{ ...options, everySeconds: auditEvery, strikes, folder: join(dataDirectory, "scans", "bundles") },
      onScan: (result) => {
        metrics.scanned(result, nowSeconds());
      },
    });
  });
  return async () => {
    const stopAudit = await starting;
    await stopAudit();
    await stop();
    await client.close();
  };
}

/** Opens the forecasts of scans. Only the leader starts scans: two would write the same reports. */
export async function openAudit(
  flags: ControllerFlags,
  surroundings: Surroundings,
  metrics: Pick<CompositionMetrics, "scanned">,
): Promise<Audit> {
  const open = await forecastsOf(flags, surroundings);
  let stop = open?.stop ?? (() => Promise.resolve());
  return {
    start: () => {
      if (open !== null) stop = startScans(flags, surroundings, { open, metrics });
    },
    stop: () => stop(),
  };
}
