import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { LandfallError } from "../../../errors.ts";
import type { Cli } from "../../cli.ts";
import { policyFiles } from "./policy-files.ts";
import { runScaffold, type ScaffoldOptions, withScaffoldOptions } from "./run-scaffold.ts";

interface Options extends ScaffoldOptions {
  dir: string;
}

async function policy(cli: Cli, name: string, options: Options): Promise<void> {
  const { dir } = options;
  const files = await policyFiles(name);
  // A rule outside of every bundle would have no effect.
  const bundle = await stat(join(dir, "bundle/landfall")).catch(() => null);
  if (bundle?.isDirectory() !== true)
    throw new LandfallError("CLI_USAGE", {
      detail: `--dir ${dir} holds no bundle/landfall: name the folder of a policy bundle (landfall scaffold bundle makes one)`,
    });
  const source = join(dir, "bundle");
  const catalog = join(dir, "catalog");
  const sources = `--source ${source}${(await stat(catalog).catch(() => null)) === null ? "" : ` --catalog ${catalog}`}`;
  const next = [
    `write your rule into ${join(source, "landfall/custom", `${name}.rego`)}, its tests and cases next to it`,
    `npx landfall test ${join(dir, "tests")} ${sources}`,
    `npx landfall bundle build ${sources}`,
  ];
  await runScaffold(cli, { base: dir, files, next }, options);
}

/** `landfall scaffold policy`: a custom rule with its tests. */
export function addPolicy(scaffold: Command, cli: Cli): void {
  withScaffoldOptions(
    scaffold
      .command("policy")
      .description("Create a custom rule in landfall.custom, with its test and two cases.")
      .argument("<name>", "last part of the package: gpu_hours makes landfall.custom.gpu_hours")
      .option("--dir <folder>", "folder of the policies, with bundle/ and tests/", "policies"),
  ).action((name: string, options: Options) => policy(cli, name, options));
}
