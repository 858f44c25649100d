import { fileURLToPath } from "node:url";
import { Command, InvalidArgumentError, Option } from "commander";
import { logLevel, outputError, port, positive, whole } from "./option-values.ts";

export interface SecretName {
  namespace: string;
  name: string;
}

const CLUSTER_FORMS = ["note", "intent"] as const;

/** The Elemento operator's command line. */
export interface OperatorFlags {
  kubeconfig?: string;
  account: SecretName;
  allowedUrls: string[];
  /** File; only the namespace of `account` may use the account if it is omitted. */
  tenants?: string;
  catalog: string;
  workers: number;
  /** Seconds. */
  resync: number;
  requestsPerSecond: number;
  timeoutSeconds: number;
  clusterForm: (typeof CLUSTER_FORMS)[number];
  healthPort?: number;
  healthHost: string;
  logLevel: string;
}

/** The defaults of flags that the operator's API client defines. */
export type OperatorDefaults = Pick<OperatorFlags, "requestsPerSecond" | "timeoutSeconds" | "clusterForm">;

function secretName(text: string): SecretName {
  const [namespace = "", name = "", more] = text.split("/");
  if (namespace !== "" && name !== "" && more === undefined) return { namespace, name };
  throw new InvalidArgumentError("expected NAMESPACE/NAME of a Secret.");
}

const prefixes = (text: string): string[] => text.split(",").filter((prefix) => prefix !== "");

/** Reads the command line. Ends the process if it is wrong, and for --help. */
export const readOperatorFlags = (argv: readonly string[], defaults: OperatorDefaults): OperatorFlags =>
  new Command("elemento")
    .description("Landfall's operator for Elemento")
    .configureOutput({ outputError })
    .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account if omitted")
    .addOption(
      new Option("--account <secret>", "NAMESPACE/NAME of the Secret with the default Elemento account")
        .argParser(secretName)
        .default({ namespace: "landfall-system", name: "elemento-account" }, "landfall-system/elemento-account"),
    )
    .addOption(
      new Option("--allowed-urls <list>", "URLs that other Secrets may name, and all below them, separated by commas")
        .argParser(prefixes)
        .default([], "none"),
    )
    .option("--tenants <file>", "namespaces that may use the default account; only the account's own one if omitted")
    .addOption(
      new Option("--catalog <folder>", "folder of the catalog").default(
        fileURLToPath(new URL("../../catalog", import.meta.url)),
        "the project's own",
      ),
    )
    .option("--workers <number>", "number of objects reconciled in parallel", whole(1, 10_000), 64)
    .option("--resync <seconds>", "interval between reconciles of an unchanged object", positive, 120)
    .option("--requests-per-second <number>", "request limit of each account", positive, defaults.requestsPerSecond)
    .option("--timeout-seconds <number>", "time limit of a request", positive, defaults.timeoutSeconds)
    .addOption(
      new Option("--cluster-form <form>", "which of the two published forms KaaS requests use")
        .choices(CLUSTER_FORMS)
        .default(defaults.clusterForm),
    )
    .option("--health-port <number>", "port of /healthz and /metrics", port)
    .option("--health-host <address>", "address of --health-port", "127.0.0.1")
    .addOption(logLevel())
    .parse(argv)
    .opts<OperatorFlags>();
