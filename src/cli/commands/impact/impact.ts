import type { Command } from "commander";
import { decideAlone } from "../../../admission/decide/decide.ts";
import { loadKubeconfig } from "../../../cluster/load-kubeconfig.ts";
import { LandfallError } from "../../../errors.ts";
import { compareDecisions } from "../../../impact/compare-decisions.ts";
import { passedThresholds, type Thresholds } from "../../../impact/passed-thresholds.ts";
import { sumUp } from "../../../impact/sum-up.ts";
import type { LoadedBundle } from "../../../policy/loaded-bundle.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { readNow, requireOutput, writeValue } from "../../options/decision-options.ts";
import { openBundle } from "../../options/open-bundle.ts";
import { announcement } from "./announcement.ts";
import { impactMarkdown, impactTable, type Report } from "./format-impact.ts";
import { fromCluster, fromDecisions, fromFiles, type Subject } from "./impact-subjects.ts";
import { readObjects } from "../../objects/read-objects.ts";
import { repeated } from "../../options/repeated.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";

interface Options extends RegistryFlags {
  bundle: string[];
  against?: string[];
  kubeconfig?: string;
  dir?: string;
  decisions?: string;
  output: string;
  now?: string;
  maxDenied?: string;
  maxMoved?: string;
  maxCost?: string;
  maxCarbon?: string;
  signOff?: string;
}

async function live(cli: Cli, kubeconfig: string, nowSeconds: number): Promise<Subject[]> {
  // Loaded here, since a comparison of files needs no cluster.
  const { createClient } = await import("../../../cluster/create-client.ts");
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    return await fromCluster(client, nowSeconds);
  } finally {
    await client.close();
  }
}

async function subjectsOf(cli: Cli, options: Options): Promise<Subject[]> {
  const { kubeconfig, dir, decisions } = options;
  if ([kubeconfig, dir, decisions].filter((given) => given !== undefined).length !== 1)
    throw new LandfallError("CLI_USAGE", { detail: "give one of --kubeconfig, --dir and --decisions" });
  const nowSeconds = readNow(options);
  if (dir !== undefined) return fromFiles(await readObjects(dir, cli), nowSeconds);
  if (decisions !== undefined) return fromDecisions(decisions);
  return live(cli, kubeconfig ?? "", nowSeconds);
}

function threshold(name: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return number;
  throw new LandfallError("CLI_USAGE", { detail: `--${name} ${value} is not a number` });
}

const thresholdsOf = ({ maxDenied, maxMoved, maxCost, maxCarbon }: Options): Thresholds => ({
  newlyDenied: threshold("max-denied", maxDenied),
  moved: threshold("max-moved", maxMoved),
  costRise: threshold("max-cost", maxCost),
  carbonRise: threshold("max-carbon", maxCarbon),
});

function compare(subjects: readonly Subject[], old: LoadedBundle, fresh: LoadedBundle, limits: Thresholds): Report {
  const impacts = subjects.map((subject) => {
    const [before, after] = [old, fresh].map((policy) => decideAlone({ ...subject, operation: "CREATE", policy }));
    if (before === undefined || after === undefined) throw new LandfallError("ADM_INTERNAL", { detail: "no decision" });
    return compareDecisions(before, after);
  });
  const summary = sumUp(impacts);
  const changed = impacts.filter(({ change }) => change !== "none");
  return { summary, impacts: changed, passed: passedThresholds(summary, limits) };
}

async function impact(cli: Cli, options: Options): Promise<void> {
  requireOutput(options, ["table", "json", "markdown"]);
  const limits = thresholdsOf(options);
  const subjects = await subjectsOf(cli, options);
  const { bundle, against, ...flags } = options;
  const old = await openBundle(cli, { ...flags, ...(against === undefined ? {} : { bundle: against }) });
  const fresh = await openBundle(cli, { ...flags, bundle });
  const report = compare(subjects, old, fresh, limits);
  if (options.output === "json" && options.signOff !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--sign-off prints YAML: omit -o json" });
  if (options.output === "json") writeValue(cli, report, "json");
  else cli.write(options.output === "table" ? impactTable(report, cli.colors) : impactMarkdown(report));
  if (options.signOff !== undefined) cli.write(announcement(report.summary, old.digest, options.signOff));
  cli.exit(report.passed.length === 0 ? EXIT.allowed : EXIT.denied);
}

/** `landfall impact`: what a bundle would change. */
export function addImpact(program: Command, cli: Cli): void {
  withRegistryOptions(
    program
      .command("impact")
      .description("Show the impact of a bundle: denied and moved objects, cost and carbon.")
      .requiredOption(
        "--bundle <ref>",
        "the new bundle: a file or an OCI reference; repeat for additional bundles",
        repeated,
      )
      .option("--against <ref>", "the old bundle (default: the project's own); repeat for additional bundles", repeated)
      .option("--kubeconfig <file>", "compare the objects of this cluster")
      .option("--dir <folder>", "compare the objects in the YAML and JSON files of this folder")
      .option("--decisions <file>", "compare the requests in this decision log, each at its recorded time")
      .option("-o, --output <format>", "table, json or markdown", "table")
      .option("--now <time>", "time of the decision (RFC 3339, default: now)")
      .option("--sign-off <name>", "print the entry of the bundle's settings that announces this change; not with json")
      .option("--max-denied <number>", "exit with 3 if more objects are newly denied")
      .option("--max-moved <number>", "exit with 3 if more objects move")
      .option("--max-cost <percent>", "exit with 3 if the cost rises by more")
      .option("--max-carbon <percent>", "exit with 3 if the carbon rises by more"),
  ).action((options: Options) => impact(cli, options));
}
