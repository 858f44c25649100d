import type { Command } from "commander";
import { LandfallError } from "../../errors.ts";
import type { Cli } from "../cli.ts";
import {
  type DecisionOptions,
  decideObjects,
  exitCode,
  single,
  withDecisionOptions,
} from "../options/decision-options.ts";
import { CLUSTER_DEFAULT } from "../options/cluster-options.ts";
import { formatDecision } from "../output/format-decision.ts";
import { readSound, throwLast } from "../objects/read-objects.ts";
import { writeResult } from "../output/write-result.ts";

interface ExplainFlags extends Omit<DecisionOptions, "file"> {
  file?: string[];
  kubeconfig?: string;
}

/** Explains the objects of files. A fault of one document, or of its decision, hides no answer for another: it is reported after them. */
async function explainFiles(cli: Cli, options: DecisionOptions): Promise<void> {
  const { faults, ...objects } = await readSound(options.file, cli);
  if (objects.workloads.length === 0) throwLast(faults, cli.note);
  const { decisions, nowSeconds } = await decideObjects(cli, options, objects, (fault) => faults.push(fault));
  if (decisions.length === 0) throwLast(faults, cli.note);
  writeResult(cli, options.output, single(decisions), (isWide) =>
    decisions.map((decision) => formatDecision(decision, { nowSeconds, colors: cli.colors, isWide })).join("\n"),
  );
  throwLast(faults, cli.note);
  cli.exit(exitCode(decisions));
}

async function explain(cli: Cli, words: readonly string[], { file, ...options }: ExplainFlags): Promise<void> {
  if (file !== undefined && words.length === 0) return explainFiles(cli, { ...options, file });
  if (file !== undefined || words.length === 0)
    throw new LandfallError("CLI_USAGE", {
      detail:
        "name what to explain: --file FILE for a new decision, or NAMESPACE/NAME for the one that an object of the cluster has",
    });
  const manifest = words.find((word) => /\.(?:ya?ml|json)$/.test(word));
  if (manifest !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: `to read ${manifest}, write -f ${manifest}` });
  // Few calls need a cluster.
  const { showObjects } = await import("./get/show-objects.ts");
  return showObjects(cli, words, options);
}

/** `landfall explain`: the decision for objects, without a cluster, or the one that an object of a cluster has. */
export function addExplain(program: Command, cli: Cli): void {
  withDecisionOptions(
    program
      .command("explain")
      .description("Show the place and start of an object, with the reasons. Needs no cluster for files.")
      .argument("[words...]", "[KIND] NAMESPACE/NAME: the decision that an object of the cluster has, not a new one")
      .option("--kubeconfig <file>", `the cluster of NAMESPACE/NAME (${CLUSTER_DEFAULT})`),
    { needsFile: false },
  ).action((words: string[], flags: ExplainFlags) => explain(cli, words, flags));
}
