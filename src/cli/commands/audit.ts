import Table from "cli-table3";
import type { Command } from "commander";
import { listUnmanaged, type UnmanagedObject } from "../../audit/list-unmanaged.ts";
import { readCluster } from "../../audit/read-cluster.ts";
import { type Finding, type Verdict, VERDICTS } from "../../audit/finding.ts";
import { reportsOf } from "../../audit/report.ts";
import { scan } from "../../audit/scan.ts";
import { writeReports } from "../../audit/write-reports.ts";
import { createClient } from "../../cluster/create-client.ts";
import { loadKubeconfig } from "../../cluster/load-kubeconfig.ts";
import type { Retained } from "../../model/retained.ts";
import { fedZones } from "../../model/catalog.ts";
import { type Cli, EXIT } from "../cli.ts";
import { readNow, requireOutput, writeValue } from "../options/decision-options.ts";
import { fetchForecasts } from "../options/fetch-forecasts.ts";
import { openBundle } from "../options/open-bundle.ts";
import { repeated } from "../options/repeated.ts";

interface AuditOptions {
  kubeconfig?: string;
  namespace?: string;
  systemNamespace: string;
  output: string;
  now?: string;
  bundle?: string[];
  plainHttp?: boolean;
  write?: boolean;
  all?: boolean;
  forecast?: string;
  forecastSettings?: string;
}

const PAINT = {
  deny: "red",
  undecided: "yellow",
  move: "cyan",
  "move-on-recreate": "cyan",
  stay: "dim",
} as const satisfies Record<Verdict, string>;

function table(findings: readonly Finding[], { colors }: Cli): string {
  const head = ["VERDICT", "OBJECT", "WHERE", "WHAT"].map((title) => colors.dim(title));
  const style = { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 };
  const names = ["top", "bottom", "left", "right", "mid"].flatMap((name) => [
    name,
    `${name}-mid`,
    `${name}-left`,
    `${name}-right`,
  ]);
  const chars = Object.fromEntries([...names, "middle"].map((name) => [name, ""]));
  const rows = new Table({ head, style, chars });
  for (const { verdict, kind, namespace, name, place, message, codes } of findings) {
    const what = codes.length > 0 ? `${message} [${codes.join(", ")}]` : message;
    rows.push([colors[PAINT[verdict]](verdict), `${kind} ${namespace}/${name}`, place ?? "", what]);
  }
  return findings.length === 0
    ? ""
    : `${rows
        .toString()
        .split("\n")
        .map((line) => line.trimEnd())
        .join("\n")}\n`;
}

function summary(findings: readonly Finding[]): string {
  const count = (verdict: Verdict): string =>
    `${String(findings.filter((finding) => finding.verdict === verdict).length)} ${verdict}`;
  return `${String(findings.length)} objects: ${VERDICTS.map(count).join(", ")}\n`;
}

/** Says which provider objects nothing decided; no text where there is none. */
function unmanagedText(objects: readonly UnmanagedObject[], { colors }: Cli): string {
  if (objects.length === 0) return "";
  const lines = objects.map(({ kind, namespace, name }) => `  ${kind} ${namespace}/${name}`);
  const title = `${String(objects.length)} provider objects without a decision, created past Landfall:`;
  return `${colors.yellow(title)}\n${lines.join("\n")}\n`;
}

/** Says what deleted objects left running; no text where there is nothing. */
function retainedText(all: readonly Retained[], { colors }: Cli): string {
  if (all.length === 0) return "";
  const lines = all.map(({ workload, why, at, uid, acknowledged }) => {
    const { kind, namespace, name, vcpus, memoryGiB, place } = workload;
    const size = `${String(vcpus)} vCPU, ${String(memoryGiB)} GiB at ${place ?? "an unknown place"}`;
    const counted = acknowledged === null ? "counted" : `acknowledged by ${acknowledged.by}: ${acknowledged.reason}`;
    return `  ${uid} ${kind} ${namespace}/${name}: ${size}, ${why} since ${at}, ${counted}`;
  });
  const title = `${String(all.length)} deleted objects whose resources stayed:`;
  return `${colors.yellow(title)}\n${lines.join("\n")}\n`;
}

async function audit(cli: Cli, options: AuditOptions): Promise<void> {
  requireOutput(options, ["table", "json", "yaml"]);
  const nowSeconds = readNow(options);
  const client = createClient(await loadKubeconfig(options.kubeconfig, cli.env));
  try {
    const policy = await openBundle(cli, options);
    const { objects, retained: left, clusterData } = await readCluster(client, nowSeconds, options.systemNamespace);
    const forecasts = await fetchForecasts(cli, options, fedZones(policy.catalog));
    const findings = await scan(objects, { policy, clusterData, forecasts, nowSeconds });
    const shown = findings.filter(({ namespace }) => (options.namespace ?? namespace) === namespace);
    const past = await listUnmanaged(client, objects);
    const unmanaged = past.filter(({ namespace }) => (options.namespace ?? namespace) === namespace);
    const retained = (left ?? []).filter(
      ({ workload }) => (options.namespace ?? workload.namespace) === workload.namespace,
    );
    const notable = shown.filter(({ verdict }) => options.all === true || verdict !== "stay");
    if (options.output === "table")
      cli.write(table(notable, cli) + summary(shown) + retainedText(retained, cli) + unmanagedText(unmanaged, cli));
    else writeValue(cli, { bundle: policy.digest, findings: shown, unmanaged, retained }, options.output);
    if (left === null)
      cli.note(
        `what deleted objects left running is unknown: no right to list Secrets in ${options.systemNamespace}\n`,
      );
    // Reports cover whole namespaces, regardless of the output.
    if (options.write === true)
      cli.note(`${String(await writeReports(client, reportsOf(findings, policy.digest)))} reports written\n`);
    cli.exit(shown.some(({ verdict }) => verdict === "deny") ? EXIT.denied : EXIT.allowed);
  } finally {
    await client.close();
  }
}

/** `landfall audit`: the present bundle's verdict on the objects of a cluster. */
export function addAudit(program: Command, cli: Cli): void {
  program
    .command("audit")
    .description("Show which objects of a cluster a bundle would deny or move. Read-only.")
    .option("--kubeconfig <file>", "the cluster (default: KUBECONFIG or the Pod's)")
    .option("-n, --namespace <name>", "show only one namespace")
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .option("--all", "also show objects without changes")
    .option("--write", "write one PlacementReport per namespace")
    .option("--now <time>", "time of the decision (RFC 3339, default: now)")
    .option(
      "--bundle <ref>",
      "policy bundle: a file or an OCI reference (default: the project's own); repeat for additional bundles",
      repeated,
    )
    .option("--forecast <file>", "forecast of carbon intensity (CSV or JSON) (default: the bundle's climatology)")
    .option("--forecast-settings <file>", "the webhook's forecast settings (YAML)")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .action((options: AuditOptions) => audit(cli, options));
}
