import type { Command } from "commander";
import { listEmergencies } from "../../../audit/list-emergencies.ts";
import { listUnmanaged } from "../../../audit/list-unmanaged.ts";
import { namespaceProblems } from "../../../audit/namespace-problems.ts";
import { readCluster } from "../../../audit/read-cluster.ts";
import { asDecided, type Proof } from "../../../audit/was-decided.ts";
import { reportsOf } from "../../../audit/report.ts";
import { scan } from "../../../audit/scan.ts";
import { writeReports } from "../../../audit/write-reports.ts";
import { createClient } from "../../../cluster/client/create-client.ts";
import { loadKubeconfig } from "../../../cluster/client/load-kubeconfig.ts";
import { readRing } from "../../../keys/read-ring.ts";
import { fedZones } from "../../../model/places/catalog.ts";
import { type Cli, EXIT } from "../../cli.ts";
import { CLUSTER_DEFAULT } from "../../options/cluster-options.ts";
import { readNow } from "../../options/decision-options.ts";
import { fetchForecasts } from "../../options/fetch-forecasts.ts";
import { openBundle } from "../../options/open-bundle.ts";
import { type OutputFlags, withOutput } from "../../options/output-option.ts";
import { repeated } from "../../options/repeated.ts";
import { writeResult } from "../../output/write-result.ts";
import { type AuditReport, formatAudit } from "./format-audit.ts";
import { nowSeconds } from "../../../model/time.ts";

interface AuditOptions extends OutputFlags {
  kubeconfig?: string;
  namespace?: string;
  systemNamespace: string;
  now?: string;
  bundle?: string[];
  plainHttp?: boolean;
  write?: boolean;
  all?: boolean;
  forecast?: string;
  forecastSettings?: string;
}

async function audit(cli: Cli, options: AuditOptions): Promise<void> {
  const at = readNow(options);
  const client = createClient(await loadKubeconfig(options.kubeconfig, cli.env));
  try {
    const policy = await openBundle(cli, options);
    const readAt = nowSeconds();
    const {
      namespaces,
      objects,
      retained: left,
      emergencies,
      clusterData,
    } = await readCluster(client, at, { systemNamespace: options.systemNamespace });
    const ofNamespace = namespaces.filter(({ metadata }) => (options.namespace ?? metadata.name) === metadata.name);
    const problems = namespaceProblems(ofNamespace, policy.catalog.settingNames);
    const forecasts = await fetchForecasts(cli, options, fedZones(policy.catalog));
    const ring = await readRing(client, options.systemNamespace);
    if (typeof ring === "string") cli.note(`signatures of decisions were not checked: ${ring}\n`);
    const proof: Proof = { ring: typeof ring === "string" ? null : ring, owners: clusterData.owners, emergencies };
    const judged = objects.map((object) => asDecided(object, proof));
    const findings = await scan(judged, { policy, clusterData, forecasts, nowSeconds: at });
    const shown = findings.filter(({ namespace }) => (options.namespace ?? namespace) === namespace);
    const past = await listUnmanaged(client, objects, readAt);
    const unmanaged = past.filter(({ namespace }) => (options.namespace ?? namespace) === namespace);
    const retained = (left ?? []).filter(
      ({ workload }) => (options.namespace ?? workload.namespace) === workload.namespace,
    );
    const created = listEmergencies(objects, proof).filter(
      ({ namespace }) => (options.namespace ?? namespace) === namespace,
    );
    const report: AuditReport = {
      ...{
        bundle: policy.digest,
        findings: shown,
        namespaceProblems: problems,
        unmanaged,
        retained,
        emergencies: created,
      },
    };
    writeResult(cli, options.output, report, (isWide) =>
      formatAudit(report, { colors: cli.colors, isWide, all: options.all === true }),
    );
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
  withOutput(program.command("audit"))
    .description("Show which objects of a cluster a bundle would deny or move. Read-only.")
    .option("--kubeconfig <file>", `the cluster (${CLUSTER_DEFAULT})`)
    .option("-n, --namespace <name>", "show only one namespace")
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system")
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
