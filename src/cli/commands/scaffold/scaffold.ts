import type { Command } from "commander";
import type { Cli } from "../../cli.ts";
import { addBundle } from "./bundle.ts";
import { addChart } from "./chart.ts";
import { addPolicy } from "./policy.ts";

/** `landfall scaffold`: what a platform team starts its own kinds, rules and bundles from. */
export function addScaffold(program: Command, cli: Cli): void {
  const scaffold = program.command("scaffold").description("Create your own chart, policy or policy bundle.");
  for (const add of [addChart, addPolicy, addBundle]) add(scaffold, cli);
}
