import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { CLUSTER_DEFAULT } from "../../options/cluster-options.ts";
import { withOutput } from "../../options/output-option.ts";
import { type ShowOptions, showObjects } from "./show-objects.ts";

/** `landfall get`: the decision that an object of a cluster has. */
export function addGet(program: Command, cli: Cli): void {
  withOutput(program.command("get"))
    .description("Show the decision and the machines of objects in a cluster. Decides nothing; read-only.")
    .argument("[words...]", "[KIND] [NAMESPACE/NAME]; all objects without a name")
    .option("-n, --namespace <name>", "only this namespace")
    .option("--kubeconfig <file>", `the cluster (${CLUSTER_DEFAULT})`)
    .action((words: string[], options: ShowOptions) => showObjects(cli, words, options));
}
