import { createInterface } from "node:readline";
import { join } from "node:path";
import type { Command } from "commander";
import { kubeconfigFile, loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { builtPages } from "../../../console/pages/built-pages.ts";
import { readFolder } from "../../../console/recorded/read-folder.ts";
import { startConsole, type StartOptions } from "../../../console/start-console.ts";
import { LandfallError, lineOf } from "../../../errors.ts";
import { whole } from "../../../flags/option-values.ts";
import { fedZones } from "../../../model/places/catalog.ts";
import { inside } from "../../../model/schemas/setting-problem.ts";
import { nowSeconds } from "../../../model/time.ts";
import type { LoadedBundle } from "../../../policy/loaded-bundle.ts";
import { defaultCacheFolder } from "../../../toolchain/cache-paths.ts";
import type { Cli } from "../../cli.ts";
import { followForecasts } from "../../options/ask-forecasts.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { bundleSources, openBundles } from "../../options/open-bundle.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";
import { repeated } from "../../options/repeated.ts";

interface Flags extends ClusterFlags, RegistryFlags {
  bundle?: string[];
  forecast?: string;
  forecastSettings?: string;
  port: number;
  from?: string;
}

/** The same options for a command. */
const registryArgs = ({ plainHttp, ca }: RegistryFlags): string[] => [
  ...(plainHttp === true ? ["--plain-http"] : []),
  ...(ca === undefined ? [] : [`--ca=${ca}`]),
];

/** The forecasts of the flags; nothing without them. */
async function outlookOf(
  cli: Cli,
  flags: Pick<Flags, "forecast" | "forecastSettings">,
  policy: LoadedBundle,
): Promise<Pick<StartOptions, "outlook">> {
  if (flags.forecast === undefined && flags.forecastSettings === undefined) return {};
  return { outlook: await followForecasts(cli, flags, fedZones(policy.catalog)) };
}

async function serve(cli: Cli, { kubeconfig, systemNamespace, port, from, ...flags }: Flags): Promise<void> {
  if (from !== undefined && kubeconfig !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "give --from for recorded files, or --kubeconfig for a cluster" });
  const source = from === undefined ? await loadKubeconfig(kubeconfig, cli.env) : await readFolder(from, nowSeconds());
  const pages = await builtPages({
    root: cli.root,
    cacheDir: join(defaultCacheFolder(cli.env), "console"),
    building: () => {
      cli.note("landfall: builds the pages of the console, which takes some seconds\n");
    },
  });
  const { forecast, forecastSettings, ...bundles } = flags;
  const { bundle: policy, data, tarballs } = await openBundles(cli, bundles);
  const forecasts = {
    ...(forecast === undefined ? {} : { forecast }),
    ...(forecastSettings === undefined ? {} : { forecastSettings }),
  };
  const running = await startConsole({
    ...{ source, systemNamespace, pages, port, catalog: join(cli.root, "catalog") },
    landfall: {
      ...{ main: join(cli.root, "src", "cli", "main.ts"), env: cli.env },
      kubeconfig: from === undefined ? kubeconfigFile(kubeconfig, cli.env) : null,
      registry: registryArgs(flags),
    },
    settings: inside(data, "landfall", "settings"),
    ...{ policy, tarballs, sources: await bundleSources(cli, bundles), ...(await outlookOf(cli, forecasts, policy)) },
    failed: (thrown, path) => {
      cli.note(`landfall: ${path}: ${lineOf(thrown)}\n`);
    },
  });
  const shown =
    "server" in source ? `of ${source.server}, with the rights of your kubeconfig` : `of the files in ${source.folder}`;
  cli.note(`The console ${shown}. Press Enter for a new address, Ctrl-C to end.\n`);
  cli.write(`${running.address()}\n`);
  createInterface({ input: cli.stdin }).on("line", () => {
    cli.write(`${running.address()}\n`);
  });
}

/** `landfall console`: the cluster in a browser on this machine. */
export function addConsole(program: Command, cli: Cli): void {
  withRegistryOptions(withClusterOptions(program.command("console")))
    .description("Show a cluster's objects and decisions in a browser on this machine, with your own rights.")
    .option("--port <number>", "the port on 127.0.0.1 (default: any free one)", whole(0, 65_535), 0)
    .option(
      "--bundle <ref>",
      "the bundle that explains decisions: a file or an OCI reference (default: the project's own); repeat for data images and bundles of teams",
      repeated,
    )
    .option("--forecast <file>", "forecast of carbon intensity (CSV or JSON) (default: the bundle's climatology)")
    .option("--forecast-settings <file>", "the webhook's forecast settings (YAML), with its sources of measured hours")
    .option(
      "--from <folder>",
      "show recorded files instead of a cluster: decision logs, audits and simulations as JSON",
    )
    .action((flags: Flags) => serve(cli, flags));
}
