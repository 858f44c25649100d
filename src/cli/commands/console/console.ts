import { createInterface } from "node:readline";
import { join } from "node:path";
import type { Command } from "commander";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { builtPages } from "../../../console/pages/built-pages.ts";
import { startConsole } from "../../../console/start-console.ts";
import { lineOf } from "../../../errors.ts";
import { whole } from "../../../flags/option-values.ts";
import { defaultCacheFolder } from "../../../toolchain/cache-paths.ts";
import type { Cli } from "../../cli.ts";
import { type ClusterFlags, withClusterOptions } from "../../options/cluster-options.ts";
import { bundleSources, openBundle } from "../../options/open-bundle.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";
import { repeated } from "../../options/repeated.ts";

interface Flags extends ClusterFlags, RegistryFlags {
  bundle?: string[];
  port: number;
}

async function serve(cli: Cli, { kubeconfig, systemNamespace, port, ...flags }: Flags): Promise<void> {
  const config = await loadKubeconfig(kubeconfig, cli.env);
  const pages = await builtPages({
    root: cli.root,
    cacheDir: join(defaultCacheFolder(cli.env), "console"),
    building: () => {
      cli.note("landfall: builds the pages of the console, which takes some seconds\n");
    },
  });
  const running = await startConsole({
    ...{ config, systemNamespace, pages, port, catalog: join(cli.root, "catalog") },
    policy: await openBundle(cli, flags),
    sources: await bundleSources(cli, flags),
    failed: (thrown, path) => {
      cli.note(`landfall: ${path}: ${lineOf(thrown)}\n`);
    },
  });
  cli.note(
    `The console of ${config.server}, with the rights of your kubeconfig. Press Enter for a new address, Ctrl-C to end.\n`,
  );
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
    .action((flags: Flags) => serve(cli, flags));
}
