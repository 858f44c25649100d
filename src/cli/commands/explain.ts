import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import {
  type DecisionOptions,
  decideFile,
  exitCode,
  single,
  withDecisionOptions,
  writeValue,
} from "../options/decision-options.ts";
import { formatDecision } from "../output/format-decision.ts";

async function explain(cli: Cli, options: DecisionOptions): Promise<void> {
  const { decisions, nowSeconds } = await decideFile(cli, options);
  if (options.output === "table")
    cli.write(decisions.map((decision) => formatDecision(decision, nowSeconds, cli.colors)).join("\n"));
  else writeValue(cli, single(decisions), options.output);
  cli.exit(exitCode(decisions));
}

/** `landfall explain`: the decision for objects, without a cluster. */
export function addExplain(program: Command, cli: Cli): void {
  withDecisionOptions(
    program
      .command("explain")
      .description("Show the place and start of an object, with the reasons. Needs no cluster."),
  ).action((options: DecisionOptions) => explain(cli, options));
}
