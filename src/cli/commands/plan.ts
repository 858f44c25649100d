import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import colors from "picocolors";
import { stringify } from "yaml";
import { renderChart } from "../../composition/render-chart.ts";
import { COMPOSITION_GROUP, type Kind } from "../../model/names.ts";
import { toolPath } from "../../toolchain/tool-path.ts";
import type { Cli } from "../cli.ts";
import {
  type DecisionOptions,
  decideFile,
  exitCode,
  single,
  withDecisionOptions,
  writeValue,
} from "../decision-options.ts";
import { formatDecision } from "../format-decision.ts";
import { planObject, type RenderChart } from "../plan-objects.ts";

/** The folder of each kind's chart. */
const CHARTS: Readonly<Record<Kind, string>> = { VmTemplate: "vmtemplate", KaasCluster: "kaas-cluster" };

/** What the composition controller adds to the values: here without a cluster, so without a uid. */
function previewGlobals(kind: Kind, name: string, namespace: string): Record<string, unknown> {
  return {
    compositionName: name,
    compositionNamespace: namespace,
    compositionId: "00000000-0000-0000-0000-000000000000",
    compositionGroup: COMPOSITION_GROUP,
    compositionKind: kind,
    compositionResource: `${kind.toLowerCase()}s`,
    gracefullyPaused: false,
    krateoNamespace: "krateo-system",
  };
}

function chartRenderer({ root, env: { PATH = "" } }: Cli): RenderChart {
  return async (kind, object) => {
    const { name = "preview", namespace = "default" } = object.metadata;
    // Nothing of the user's own helm set-up (plug-ins, repositories) may change what is shown.
    const home = join(tmpdir(), "landfall-helm");
    const env = { HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, PATH };
    const helm = { binary: await toolPath("helm"), kubeconfig: null, env };
    const values = { ...object.spec, global: previewGlobals(kind, name, namespace) };
    return renderChart({ helm, chartDir: join(root, "charts", CHARTS[kind]), values, name, namespace });
  };
}

async function plan(cli: Cli, options: DecisionOptions): Promise<void> {
  const { objects, decisions, now } = await decideFile(cli, options);
  const render = chartRenderer(cli);
  const plans = await Promise.all(
    objects.workloads.flatMap(({ object }, index) => {
      const decision = decisions[index];
      return decision === undefined ? [] : [planObject(object, decision, now, render)];
    }),
  );
  if (options.output === "json") writeValue(cli, single(plans), "json");
  for (const { decision, manifests } of options.output === "json" ? [] : plans) {
    const text = formatDecision(decision, now, options.output === "yaml" ? colors.createColors(false) : cli.colors);
    // As comments, so that the whole stays YAML that kubectl can read.
    if (options.output === "table" || !decision.allowed) cli.write(text.replace(/^/gm, "# ").replace(/# $/, ""));
    for (const manifest of manifests) cli.write(`---\n${stringify(manifest)}`);
  }
  cli.exit(exitCode(decisions));
}

/** `landfall plan`: the decision, then what would be installed for it. */
export function addPlan(program: Command, cli: Cli): void {
  withDecisionOptions(
    program.command("plan").description("Explain, then print the manifests that would be installed."),
  ).action((options: DecisionOptions) => plan(cli, options));
}
