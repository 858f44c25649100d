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
} from "../options/decision-options.ts";
import { formatDecision } from "../output/format-decision.ts";
import { writeResult } from "../output/write-result.ts";
import { type Plan, planObject } from "../objects/plan-objects.ts";

async function plan(cli: Cli, options: DecisionOptions): Promise<void> {
  const { objects, decisions, nowSeconds } = await decideFile(cli, options);
  const render = chartRenderer(cli, join(cli.root, "charts"));
  const plans = await Promise.all(
    objects.workloads.flatMap(({ object }, index) => {
      const decision = decisions[index];
      return decision === undefined ? [] : [planObject(object, decision, nowSeconds, render)];
    }),
  );
  const isForKubectl = options.output === "yaml";
  const text = ({ decision, manifests }: Plan, isWide: boolean): string => {
    const shown = isForKubectl ? colors.createColors(false) : cli.colors;
    const told = formatDecision(decision, { nowSeconds, colors: shown, isWide });
    // Written as comments, so that the output stays YAML for kubectl.
    const comment = isForKubectl && decision.allowed ? "" : told.replace(/^/gm, "# ").replace(/# $/, "");
    return comment + manifests.map((manifest) => `---\n${yamlText(manifest)}`).join("");
  };
  // The YAML is that of the manifests, not of the decisions.
  const format = isForKubectl ? "table" : options.output;
  writeResult(cli, format, single(plans), (isWide) => plans.map((one) => text(one, isWide)).join(""));
  cli.exit(exitCode(decisions));
}

/** `landfall plan`: the decision, then the manifests that would be installed. */
export function addPlan(program: Command, cli: Cli): void {
  withDecisionOptions(
    program.command("plan").description("Explain the decision, then print the manifests that it would install."),
  ).action((options: DecisionOptions) => plan(cli, options));
}
