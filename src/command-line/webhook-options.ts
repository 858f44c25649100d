import { Command, Option } from "commander";
import { logLevel, outputError } from "./option-values.ts";

/** The webhook's command line. */
export interface WebhookOptions {
  port: string;
  host: string;
  kubeconfig?: string;
  bundle: string;
  clientCa: string;
  dataDir: string;
  register?: boolean;
  url?: string;
  bundleSettings?: string;
  unsigned?: boolean;
  forecastSettings?: string;
  scheduler?: string;
  schedulerTokenFile?: string;
  schedulerBudgetMs: string;
  pollTokenFile?: string;
  decisionLog?: string;
  decisionLogWhenFull: string;
  decisionLogTokenFile?: string;
  crane: string;
  plainHttp?: boolean;
  ca?: string;
  logLevel: string;
}

/** Reads the command line; ends the process where it is wrong, or for --help. */
export const readOptions = (argv: readonly string[]): WebhookOptions =>
  new Command("webhook")
    .description("Landfall's admission webhook")
    .configureOutput({ outputError })
    .option("--port <number>", "port to listen on; 0 chooses a free one", "8443")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account where left out")
    .requiredOption("--bundle <ref>", "policy bundle: an OCI reference or a file")
    .option(
      "--bundle-settings <file>",
      "whose bundles are used, how they replace each other, and which others decide too (YAML)",
    )
    .option("--unsigned", "use bundles without looking for signatures, where there are no bundle settings")
    .option("--forecast-settings <file>", "where forecasts of carbon intensity come from (YAML)")
    .option("--scheduler <url>", "external scheduler that is asked first; the embedded one answers where it fails")
    .option("--scheduler-token-file <file>", "bearer token for the external scheduler")
    .option("--scheduler-budget-ms <ms>", "what the external scheduler may take for one object, 50 to 5000", "1500")
    .option("--poll-token-file <file>", "bearer token of POST /bundle/poll, which looks for a new bundle at once")
    .option(
      "--decision-log <target>",
      "write every decision to stdout, file:PATH, or an http(s) URL in gzipped batches",
    )
    .addOption(
      new Option("--decision-log-when-full <how>", "drop lines, or let requests wait")
        .choices(["drop", "slow"])
        .default("drop"),
    )
    .option("--decision-log-token-file <file>", "bearer token for an http(s) target")
    .requiredOption("--client-ca <file>", "CA of the API server's client certificate (PEM)")
    .requiredOption("--data-dir <dir>", "where the seal's key is kept")
    .option("--register", "write the webhook configurations for this process")
    .option("--url <url>", "how the API server reaches this process; https://HOST:PORT where left out")
    .option("--crane <file>", "the crane program, for bundles in a registry", "crane")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--ca <file>", "CA of the registry's certificate (PEM)")
    .addOption(logLevel())
    .parse(argv)
    .opts<WebhookOptions>();
