import { join, resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { bundleFiles } from "./bundle-files.ts";
import { requireEmpty } from "./require-empty.ts";
import { runScaffold, type ScaffoldOptions, withScaffoldOptions } from "./run-scaffold.ts";

interface Options extends ScaffoldOptions {
  policy: string;
  catalog?: boolean;
}

async function bundle(cli: Cli, dir: string, options: Options): Promise<void> {
  const catalog = options.catalog === true;
  const files = await bundleFiles({ root: resolve(cli.root), policy: options.policy, catalog });
  await requireEmpty(dir);
  const source = join(dir, "bundle");
  const sources = `--source ${source}${catalog ? ` --catalog ${join(dir, "catalog")}` : ""}`;
  const next = [
    `edit ${join(source, "landfall/settings/data.yaml")}`,
    `npx landfall test ${join(dir, "tests")} ${sources}`,
    `npx landfall bundle build ${sources}`,
    `npx landfall scaffold policy NAME --dir ${dir}`,
  ];
  await runScaffold(cli, { base: dir, files, next }, options);
}

/** `landfall scaffold bundle`: copies the product's policies to a platform team's own folder. */
export function addBundle(scaffold: Command, cli: Cli): void {
  withScaffoldOptions(
    scaffold
      .command("bundle")
      .description("Create a complete policy bundle: Landfall's policies with settings and a first custom rule.")
      .argument("<dir>", "folder to create; it must be empty or not exist")
      .option("--policy <name>", "name of the first rule", "ownership")
      .option("--catalog", "copy the catalog too, to add places, machine types or a provider"),
  ).action((dir: string, options: Options) => bundle(cli, dir, options));
}
