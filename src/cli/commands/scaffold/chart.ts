import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { chartFiles } from "./chart-files.ts";
import { requireEmpty } from "./require-empty.ts";
import { runScaffold, type ScaffoldOptions, withScaffoldOptions } from "./run-scaffold.ts";

interface Options extends ScaffoldOptions {
  kind?: string;
  dir: string;
  provider?: string[];
}

async function chart(cli: Cli, name: string, options: Options): Promise<void> {
  const { dir, kind, provider } = options;
  const wanted = { name, root: cli.root, dir, ...(kind && { kind }), ...(provider && { providers: provider }) };
  const files = await chartFiles(wanted);
  const folder = join(dir, name);
  await requireEmpty(folder);
  const own = resolve(dir) === resolve(cli.root, "charts");
  const next = [
    `read ${join(folder, "README.md")}`,
    own ? "npm run check -- charts" : `helm lint --strict ${folder} --values ${folder}/ci/…`,
    own
      ? `npx vitest run --project integration charts/${name}`
      : `npm install --save-dev vitest yaml, npx vitest run ${folder}`,
    own ? `npm run push-charts -- HOST/PATH ${folder}` : `helm package ${folder} and helm push`,
    `kubectl apply -f ${folder}/rbac.yaml -f ${folder}/definition.yaml`,
  ];
  await runScaffold(cli, { base: dir, files, next }, options);
}

/** `landfall scaffold chart`: a chart for a new kind, with its tests. */
export function addChart(scaffold: Command, cli: Cli): void {
  withScaffoldOptions(
    scaffold
      .command("chart")
      .description("Create a chart for a new kind: schema, templates per provider, test, CompositionDefinition.")
      .argument("<name>", "folder of the chart, and its name: private-network makes the kind PrivateNetwork")
      .option("--kind <kind>", "the kind; the chart's name follows it instead of the folder")
      .option("--dir <folder>", "folder to write the chart's folder into", "charts")
      .option("--provider <name...>", "providers to create templates for (default: azure, aws and gcp)"),
  ).action((name: string, options: Options) => chart(cli, name, options));
}
