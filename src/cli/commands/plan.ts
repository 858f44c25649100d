import { join } from "node:path";
import type { Command } from "commander";
import colors from "picocolors";
import { yamlText } from "../output/value-text.ts";
import { chartRenderer } from "../objects/chart-renderer.ts";
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
import { planObject } from "../objects/plan-objects.ts";

async function plan(cli: Cli, options: DecisionOptions): Promise<void> {
  const { objects, decisions, nowSeconds } = await decideFile(cli, options);
  const render = chartRenderer(cli, join(cli.root, "charts"));
  const plans = await Promise.all(
    objects.workloads.flatMap(({ object }, index) => {
      const decision = decisions[index];
      return decision === undefined ? [] : [planObject(object, decision, nowSeconds, render)];
    }),
  );
  if (options.output === "json") writeValue(cli, single(plans), "json");
  for (const { decision, manifests } of options.output === "json" ? [] : plans) {
    const text = formatDecision(
      decision,
      nowSeconds,
      options.output === "yaml" ? colors.createColors(false) : cli.colors,
    );
    // Written as comments, so that the output stays YAML for kubectl.
    if (options.output === "table" || !decision.allowed) cli.write(text.replace(/^/gm, "# ").replace(/# $/, ""));
    for (const manifest of manifests) cli.write(`---\n${yamlText(manifest)}`);
  }
  cli.exit(exitCode(decisions));
}

/** `landfall plan`: the decision, then the manifests that would be installed. */
export function addPlan(program: Command, cli: Cli): void {
  withDecisionOptions(
    program.command("plan").description("Explain the decision, then print the manifests that it would install."),
  ).action((options: DecisionOptions) => plan(cli, options));
}
