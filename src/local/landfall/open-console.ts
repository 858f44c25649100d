import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadKubeconfig } from "../../cluster/client/load-kubeconfig.ts";
import { regoSources } from "../../console/explanation/rego-sources.ts";
import { builtPages } from "../../console/pages/built-pages.ts";
import { type RunningConsole, startConsole, type StartOptions } from "../../console/start-console.ts";
import { lineOf } from "../../errors.ts";
import { openOutlook } from "../../external-data/forecasts/open-outlook.ts";
import { readForecastSettings } from "../../external-data/forecasts/read-settings.ts";
import { forecastHours } from "../../forecast/forecast-hours.ts";
import { fedZones } from "../../model/places/catalog.ts";
import { inside } from "../../model/schemas/setting-problem.ts";
import type { LoadedBundle } from "../../policy/loaded-bundle.ts";
import { readBundle } from "../../policy/read-bundle.ts";
import { loadBundle } from "../../policy/load-bundle.ts";
import { defaultCacheFolder } from "../../toolchain/cache-paths.ts";
import type { Stage } from "../processes/launch.ts";
import { projectPath } from "../processes/project-path.ts";

/** The parts of local mode that the console asks. */
interface Local {
  stage: Stage;
  /** `host:port`, without TLS. */
  registry: string;
}

/** The forecasts of the webhook's settings; nothing without them. Throws FORECAST_SETTINGS. */
async function outlookOf(
  forecasts: string | null,
  { catalog }: LoadedBundle,
  report: (text: string) => void,
): Promise<Pick<StartOptions, "outlook">> {
  if (forecasts === null) return {};
  const outlook = openOutlook({
    ...{ settings: await readForecastSettings(forecasts), zones: fedZones(catalog), forecastHours },
    onProblem: (source, { line }) => {
      report(`console: forecasts of ${source}: ${line}`);
    },
  });
  return { outlook };
}

/**
 * Serves the console with the administrator's kubeconfig, the bundle that the webhook decides by, and the forecasts of this file. Throws
 * CONSOLE_…, FORECAST_SETTINGS.
 */
export async function openConsole(
  { stage, registry }: Local,
  { forecasts, timeLapse }: { forecasts: string | null; timeLapse: number },
): Promise<RunningConsole> {
  const { paths, env } = stage;
  const bytes = await readFile(paths.bundle);
  const [source, pages, policy] = await Promise.all([
    loadKubeconfig(paths.kubeconfig, {}),
    builtPages({ root: projectPath("."), cacheDir: join(defaultCacheFolder(env), "console") }),
    loadBundle(bytes, paths.bundle),
  ]);
  return startConsole({
    ...{
      source,
      pages,
      policy,
      timeLapse,
      port: 0,
      systemNamespace: "landfall-system",
      catalog: projectPath("catalog"),
    },
    sources: regoSources(bytes, paths.bundle),
    tarballs: { platform: { bytes, ref: paths.bundle }, others: [] },
    landfall: {
      ...{ main: projectPath("src/cli/main.ts"), env, kubeconfig: paths.kubeconfig },
      registry: [`--plain-http-host=${registry}`],
    },
    settings: inside(readBundle(bytes, paths.bundle).data, "landfall", "settings"),
    ...(await outlookOf(forecasts, policy, (text) => {
      stage.report(text);
    })),
    failed: (thrown, path) => {
      stage.report(`console ${path}: ${lineOf(thrown)}`);
    },
  });
}
