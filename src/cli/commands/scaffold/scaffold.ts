import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addBundle } from "./bundle.ts";
import { addChart } from "./chart.ts";
import { addPolicy } from "./policy.ts";

/** `landfall scaffold`: starting points for a platform team's own kinds, rules and bundles. */
export function addScaffold(program: Command, cli: Cli): void {
  const scaffold = program.command("scaffold").description("Create your own chart, policy or policy bundle.");
  for (const add of [addChart, addPolicy, addBundle]) add(scaffold, cli);
}
