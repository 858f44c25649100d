import type { Command } from "commander";
import { stringify } from "yaml";
import { decideAlone } from "../../../admission/decide/decide.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { LandfallError } from "../../../errors.ts";
import { compareDecisions } from "../../../impact/compare-decisions.ts";
import { passedThresholds, type Thresholds } from "../../../impact/passed-thresholds.ts";
import { type Summary, sumUp } from "../../../impact/sum-up.ts";
import type { LoadedBundle } from "../../../policy/loaded-bundle.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { readNow } from "../../options/decision-options.ts";
import { openBundle } from "../../options/open-bundle.ts";
import { FORMATS, type OutputFlags, withOutput } from "../../options/output-option.ts";
import { isValue, writeResult } from "../../output/write-result.ts";
import type { KubeClient } from "../../../cluster/client/create-client.ts";
import { activeBundle } from "./active-bundle.ts";
import { impactMarkdown, impactTable, type Report } from "./format-impact.ts";
import { fromCluster, fromDecisions, fromFiles, type Subject } from "./impact-subjects.ts";
import { readObjects } from "../../objects/read-objects.ts";
import { repeated } from "../../options/repeated.ts";
import { type RegistryFlags, withRegistryOptions } from "../../options/registry-options.ts";

/**
 * The entry of landfall.settings that announces this change from the bundle with this digest (`sha256:…`). An object that moves
 * counts as denied: a canary asks about the place that it has.
 */
function announcement({ changes }: Summary, replaces: string, by: string): string {
  const denies = changes["newly denied"] + changes.moved;
  return stringify({ announced: [{ replaces, denies, allows: changes["newly allowed"], by }] });
}

interface Options extends RegistryFlags, OutputFlags {
  bundle?: string[];
  chart?: string;
  namespace?: string;
  against?: string[];
  kubeconfig?: string;
  systemNamespace: string;
  dir?: string;
  decisions?: string;
  now?: string;
  maxDenied?: string;
  maxMoved?: string;
  maxCost?: string;
  maxCarbon?: string;
  signOff?: string;
}

/** Runs `work` with the cluster of --kubeconfig; with null if none is named. */
async function withClient<T>(
  cli: Cli,
  { kubeconfig }: Options,
  work: (client: KubeClient | null) => Promise<T>,
): Promise<T> {
  if (kubeconfig === undefined) return work(null);
  // Loaded here, since a comparison of files needs no cluster.
  const { createClient } = await import("../../../cluster/client/create-client.ts");
  const client = createClient(await loadKubeconfig(kubeconfig, cli.env));
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

async function subjectsOf(cli: Cli, options: Options, client: KubeClient | null): Promise<Subject[]> {
  const { dir, decisions } = options;
  const nowSeconds = readNow(options);
  if (dir !== undefined) return fromFiles(await readObjects(dir, cli), nowSeconds);
  if (decisions !== undefined) return fromDecisions(decisions);
  if (client !== null) return fromCluster(client, nowSeconds);
  throw new LandfallError("CLI_USAGE", { detail: "give one of --kubeconfig, --dir and --decisions" });
}

/** The old bundles: those of --against, or the one that decides now. */
async function oldBundles(cli: Cli, options: Options, client: KubeClient | null): Promise<string[]> {
  if (options.against !== undefined) return options.against;
  const { ref, because } = await activeBundle(client, options.systemNamespace);
  cli.note(`landfall: compared with ${ref}, ${because}\n`);
  return [ref];
}

async function readInputs(cli: Cli, options: Options): Promise<{ subjects: Subject[]; against: string[] }> {
  const { dir, decisions } = options;
  if (dir !== undefined && decisions !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "give one of --dir and --decisions" });
  return withClient(cli, options, async (client) => {
    const subjects = await subjectsOf(cli, options, client);
    return { subjects, against: await oldBundles(cli, options, client) };
  });
}

function threshold(name: string, value: string | undefined): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (value.trim() !== "" && Number.isFinite(number)) return number;
  const bare = /^(\d{1,9}(?:\.\d{1,9})?) ?(?:%|percent)$/.exec(value.trim())?.[1];
  const instead = bare ?? "0";
  const none = bare === undefined ? " for none" : "";
  throw new LandfallError("CLI_USAGE", {
    detail: `--${name} ${value} is not a number: write --${name} ${instead}${none}, or omit it for no limit`,
  });
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

/** The impact of a chart, for a rollout. */
async function ofChart(cli: Cli, { chart = "", kubeconfig, namespace, output }: Options): Promise<void> {
  const { chartImpact, chartTable } = await import("./chart-impact.ts");
  const report = await chartImpact(cli, { chart, kubeconfig, namespace });
  writeResult(cli, output, report, () => chartTable(report));
  cli.exit(report.summary.failed === 0 ? EXIT.allowed : EXIT.denied);
}

async function impact(cli: Cli, options: Options): Promise<void> {
  const { bundle, chart, ...flags } = options;
  if ((bundle === undefined) === (chart === undefined))
    throw new LandfallError("CLI_USAGE", { detail: "give either --bundle or --chart" });
  if (bundle !== undefined && flags.namespace !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: "--namespace is for --chart: omit it with --bundle" });
  return bundle === undefined ? ofChart(cli, options) : ofBundle(cli, { ...flags, bundle });
}

async function ofBundle(cli: Cli, options: Options & { bundle: string[] }): Promise<void> {
  const limits = thresholdsOf(options);
  if (isValue(options.output) && options.signOff !== undefined)
    throw new LandfallError("CLI_USAGE", { detail: `--sign-off prints YAML of its own: omit -o ${options.output}` });
  const { subjects, against } = await readInputs(cli, options);
  const { bundle, ...flags } = options;
  const old = await openBundle(cli, { ...flags, bundle: against });
  const fresh = await openBundle(cli, { ...flags, bundle, platform: against });
  const report = compare(subjects, old, fresh, limits);
  writeResult(cli, options.output, report, (isWide) =>
    options.output === "markdown" ? impactMarkdown(report) : impactTable(report, isWide, cli.colors),
  );
  if (options.signOff !== undefined) cli.write(announcement(report.summary, old.digest, options.signOff));
  cli.exit(report.passed.length === 0 ? EXIT.allowed : EXIT.denied);
}

/** `landfall impact`: what a bundle would change. */
export function addImpact(program: Command, cli: Cli): void {
  withRegistryOptions(
    withOutput(program.command("impact"), [...FORMATS, "markdown"])
      .description(
        "Show the impact of a bundle (denied and moved objects, cost and carbon) or of a chart's new version.",
      )
      .option("--bundle <ref>", "the new bundle: a file or an OCI reference; repeat for additional bundles", repeated)
      .option("--chart <folder>", "instead: a new version of a chart, compared with what is installed in the cluster")
      .option("-n, --namespace <name>", "with --chart: only the objects of this namespace")
      .option(
        "--against <ref>",
        "the old bundle: a file, a reference or a folder of policies (default: what the cluster's webhook follows, or what " +
          "was pushed last from this folder); repeat for additional bundles",
        repeated,
      )
      .option("--kubeconfig <file>", "compare the objects of this cluster, if neither --dir nor --decisions is given")
      .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system")
      .option("--dir <folder>", "compare the objects in the YAML and JSON files of this folder")
      .option("--decisions <file>", "compare the requests in this decision log, each at its recorded time")
      .option("--now <time>", "time of the decision (RFC 3339, default: now)")
      .option(
        "--sign-off <name>",
        "print the entry of the bundle's settings that announces this change; not with json or yaml",
      )
      .option("--plain-http-host <host:port>", "this registry speaks HTTP without TLS; repeat for several", repeated)
      .option("--max-denied <number>", "exit with 3 if more objects are newly denied")
      .option("--max-moved <number>", "exit with 3 if more objects move")
      .option("--max-cost <percent>", "exit with 3 if the cost rises by more")
      .option("--max-carbon <percent>", "exit with 3 if the carbon rises by more"),
  ).action((options: Options) => impact(cli, options));
}
