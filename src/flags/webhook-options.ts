import { Command, Option } from "commander";
import { AUTHENTICATION_MODES, type AuthenticationMode } from "../model/caller.ts";
import { httpsUrl, logLevel, nonEmpty, outputError, port, readableFile, whole } from "./option-values.ts";

const WHEN_FULL = ["drop", "slow"] as const;
const FAILURE_POLICIES = ["Fail", "Ignore"] as const;

/** The webhook's command line. */
export interface WebhookFlags {
  port: number;
  host: string;
  kubeconfig?: string;
  bundle: string;
  door: AuthenticationMode;
  clientCa?: string;
  clientName?: string;
  tokenSubject: string;
  /** Reviews per second. */
  sourceRate: number;
  statusTokenFile?: string;
  dataDir: string;
  register?: boolean;
  url?: string;
  service?: string;
  servicePort: number;
  failurePolicy: (typeof FAILURE_POLICIES)[number];
  /** Seconds. */
  webhookTimeout: number;
  allowSelectors?: boolean;
  /** Seconds. */
  drainSeconds: number;
  releaseConfigmap?: string;
  tlsSecret?: string;
  replicaName?: string;
  tlsDir?: string;
  bundleSettings?: string;
  unsigned?: boolean;
  forecastSettings?: string;
  scheduler?: string;
  schedulerTokenFile?: string;
  schedulerBudgetMs: number;
  pollTokenFile?: string;
  decisionLog?: string;
  decisionLogWhenFull: (typeof WHEN_FULL)[number];
  decisionLogTokenFile?: string;
  crane: string;
  plainHttp?: boolean;
  ca?: string;
  systemNamespace: string;
  ledger?: boolean;
  signingKeys?: string;
  logLevel: string;
}

/** Reads the command line. Ends the process if it is wrong, and for --help. */
export const readWebhookFlags = (argv: readonly string[]): WebhookFlags =>
  new Command("webhook")
    .description("Landfall's admission webhook")
    .configureOutput({ outputError })
    .option("--port <number>", "port to listen on; 0 chooses a free one", whole(0, 65_535), 8443)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account if omitted")
    .requiredOption("--bundle <ref>", "policy bundle: an OCI reference or a file")
    .option(
      "--bundle-settings <file>",
      "trusted signers, rollout of new bundles, and bundles of data and of other teams (YAML)",
    )
    .option("--unsigned", "use bundles without checking signatures, if there are no bundle settings")
    .option("--forecast-settings <file>", "sources of carbon intensity forecasts (YAML)")
    .option("--scheduler <url>", "external scheduler to ask first; if it fails, the embedded one decides")
    .option("--scheduler-token-file <file>", "bearer token for the external scheduler")
    .option(
      "--scheduler-budget-ms <ms>",
      "time limit of the external scheduler for one object, 50 to 5000",
      // Together with the wait for a batch it must fit into the time limit of a decision.
      whole(50, 5000),
      1500,
    )
    .option("--poll-token-file <file>", "bearer token of POST /bundle/poll, which checks for a new bundle immediately")
    .option(
      "--decision-log <target>",
      "write every decision to stdout, file:PATH, or an http(s) URL in gzipped batches",
    )
    .addOption(
      new Option("--decision-log-when-full <how>", "drop lines, or let requests wait")
        .choices(WHEN_FULL)
        .default("drop"),
    )
    .option("--decision-log-token-file <file>", "bearer token for an http(s) target", readableFile)
    .addOption(
      new Option(
        "--door <how>",
        "how callers have to be authenticated; with none and auto, others get provisional decisions, which a controller confirms",
      )
        .choices(AUTHENTICATION_MODES)
        .default("client-certificate"),
    )
    .option("--client-ca <file>", "CA of the API server's client certificate (PEM)", readableFile)
    .option(
      "--client-name <name>",
      "common name of the API server's client certificate; no other client of the CA is answered",
      nonEmpty,
    )
    .option(
      "--token-subject <name>",
      "service account that API servers show tokens of, with --door token and auto",
      nonEmpty,
      "system:serviceaccount:kube-system:webhook-auth",
    )
    .option(
      "--source-rate <number>",
      "reviews per second that one address without an identity may ask for",
      whole(1, 100_000),
      300,
    )
    .option(
      "--status-token-file <file>",
      "bearer token that /status and /metrics need; only this machine is answered if omitted",
    )
    .requiredOption("--data-dir <dir>", "folder of the last good bundles and measured intensities")
    .option(
      "--signing-keys <folder>",
      "folder of the keys that sign decisions; the Secret landfall-signing-keys of --system-namespace if omitted",
    )
    .option("--register", "write the webhook configurations for this process")
    .option("--url <url>", "URL at which the API server reaches this process; https://HOST:PORT if omitted", httpsUrl)
    .addOption(
      new Option(
        "--service <name>",
        "Service of --system-namespace at which the API server reaches this process",
      ).conflicts("url"),
    )
    .option("--service-port <number>", "port of --service", port, 443)
    .addOption(
      new Option("--failure-policy <policy>", "what the API server does with an object if no webhook answers")
        .choices(FAILURE_POLICIES)
        .default("Fail"),
    )
    .option("--webhook-timeout <seconds>", "how long the API server waits for an answer, 3 to 30", whole(3, 30), 10)
    .option("--allow-selectors", "leave the selectors that others add to the webhook configurations")
    .option(
      "--drain-seconds <seconds>",
      "how long a process that ends is not ready, answers, and asks API servers to close their connections, 0 to 60",
      whole(0, 60),
      0,
    )
    .option(
      "--release-configmap <name>",
      "ConfigMap of --system-namespace without which this process does not register: the chart's release is being removed",
    )
    .option(
      "--tls-secret <name>",
      "Secret of --system-namespace with the CA and the certificate that all replicas share; made if there is none",
    )
    .addOption(
      new Option(
        "--tls-dir <folder>",
        "folder of tls.crt, tls.key and ca.crt to serve with, read again when they change",
      ).conflicts("tlsSecret"),
    )
    .option(
      "--replica-name <name>",
      "name of this replica among those of the same Service: that of its Pod; the host name if omitted",
      nonEmpty,
    )
    .option("--crane <file>", "the crane program, for bundles in a registry", "crane")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--ca <file>", "CA of the registry's certificate (PEM)", readableFile)
    .option(
      "--system-namespace <name>",
      "Landfall's own namespace, which holds what decisions are bound to",
      "landfall-system",
    )
    .option(
      "--ledger",
      "reserve places in the PlacementLedgers of --system-namespace, so that replicas exceed no quota or budget together",
    )
    .addOption(logLevel())
    .parse(argv)
    .opts<WebhookFlags>();
