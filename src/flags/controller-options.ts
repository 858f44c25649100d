import { Command, Option } from "commander";
import { HELM_BY, type HelmBy } from "../model/names.ts";
import { list, logLevel, outputError, port, positive, readableFile, whole } from "./option-values.ts";

/** The composition controller's command line. */
export interface ControllerFlags {
  kubeconfig?: string;
  helm: string;
  helmWorker?: string;
  helmBy: HelmBy;
  /** Seconds. */
  helmTimeout: number;
  /** Seconds; 0 disables it. */
  probeEvery: number;
  dataDir: string;
  workers: number;
  /** Seconds. */
  resync: number;
  healthPort?: number;
  healthHost: string;
  krateoNamespace: string;
  systemNamespace: string;
  signingKey?: string;
  allowUndecided?: boolean;
  definitionNamespaces?: string[];
  passwordHosts: string[];
  chartSettings?: string;
  /** Seconds; 0 disables it. */
  reconsiderEvery: number;
  /** Seconds. */
  endGrace: number;
  /** Seconds that pass in one second of a run that may pause. */
  timeLapse: number;
  /** Seconds; 0 disables it, and by default each provider has its own. */
  lookEvery?: number;
  reportPort?: number;
  reportTls?: string;
  reportUrl?: string;
  leaderElect?: string;
  identity: string;
  scheduleOnly?: boolean;
  logLevel: string;
  bundle?: string;
  bundleSettings?: string;
  unsigned?: boolean;
  crane: string;
  ca?: string;
  plainHttp?: boolean;
  forecastSettings?: string;
  /** Seconds. */
  auditEvery: number;
}

/**
 * The namespaces whose CompositionDefinitions are used by default. Krateo's own belongs to those who manage Krateo: its definitions count
 * only where Krateo's controller, which uses them anyway, installs.
 */
export const defaultNamespaces = ({
  systemNamespace,
  krateoNamespace,
  scheduleOnly = false,
}: ControllerFlags): string[] => (scheduleOnly ? [systemNamespace, krateoNamespace] : [systemNamespace]);

/** Reads the command line. Ends the process if it is wrong, and for --help. `host` is the default identity in the Lease. */
export const readControllerFlags = (argv: readonly string[], host: string): ControllerFlags =>
  new Command("composition")
    .description("Landfall's composition controller")
    .configureOutput({ outputError })
    .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account if omitted")
    .option("--helm <file>", "the helm program", "helm")
    .option(
      "--helm-worker <file>",
      "the program helm-worker, which changes releases in one process that stays, instead of one for each call",
    )
    .addOption(
      new Option("--helm-by <who>", "who changes releases: auto is the worker if --helm-worker is there")
        .choices(HELM_BY)
        .default("auto"),
    )
    .option("--data-dir <dir>", "folder of charts and measured intensities", ".landfall/composition")
    .option("--helm-timeout <seconds>", "a call of helm that takes longer is ended", whole(1, 3600), 120)
    .option(
      "--probe-every <seconds>",
      "interval between dry runs that measure admission; 0 disables them",
      whole(0, 3600),
      30,
    )
    .option("--workers <number>", "number of objects reconciled in parallel", whole(1, 1000), 4)
    .option("--resync <seconds>", "interval between reconciles of an unchanged object", positive, 180)
    .option("--health-port <number>", "port of /healthz", port)
    .option("--health-host <address>", "address of --health-port", "127.0.0.1")
    .option(
      "--krateo-namespace <name>",
      "value of global.krateoNamespace in charts, as Krateo sets it",
      "krateo-system",
    )
    .option(
      "--signing-key <path>",
      "folder or file of the keys that sign decisions; the Secret landfall-signing-keys of --system-namespace if omitted",
    )
    .option("--allow-undecided", "install objects without a decision too, if Landfall's webhook does not run")
    .option("--system-namespace <name>", "Landfall's own namespace, which holds the release records", "landfall-system")
    .option(
      "--definition-namespaces <list>",
      "namespaces whose CompositionDefinitions are used, separated by commas; by default that of --system-namespace, and with --schedule-only also that of --krateo-namespace",
      list,
    )
    .option(
      "--password-hosts <list>",
      "hosts of chart repositories that get the passwords of definitions, separated by commas",
      list,
      [],
    )
    .option("--chart-settings <file>", "trusted signers of charts, as in bundle settings (YAML)")
    .option(
      "--reconsider-every <seconds>",
      "interval between checks for a better start of waiting objects, and for a better rest of runs that may pause; 0 disables them",
      whole(0, 31_536_000),
      900,
    )
    .option(
      "--look-every <seconds>",
      "how often an operator that looks at its machines only every few hours is made to look; 0 disables it (default: catalog/operations.json)",
      whole(0, 31_536_000),
    )
    .option(
      "--end-grace <seconds>",
      "time from the end of a run to the deletion of its resources (whenDone: delete)",
      whole(0, 2700),
      900,
    )
    .addOption(
      new Option("--time-lapse <number>", "local mode: so many seconds of a run that may pause take one second")
        .argParser(whole(1, 1_000_000))
        .default(1)
        .hideHelp(),
    )
    .option(
      "--report-port <number>",
      "port on which machines report the completion of their runs; off if omitted",
      port,
    )
    .option("--report-tls <dir>", "folder with tls.crt and tls.key of that port")
    .option("--report-url <url>", "https://host:port of that port, as machines reach it")
    .option("--leader-elect <namespace>", "namespace of the leader election Lease, if several controllers run")
    .option("--identity <name>", "this controller's name in the Lease", host)
    .option(
      "--schedule-only",
      "only resume objects at their start; another controller, such as Krateo, installs releases",
    )
    .addOption(logLevel())
    .option("--bundle <ref>", "policy bundle of the background scan: an OCI reference or a file")
    .option("--bundle-settings <file>", "trusted signers, and bundles of data and of other teams (YAML)")
    .option("--unsigned", "use bundles without checking signatures, if there are no bundle settings")
    .option("--crane <file>", "the crane program, for bundles and charts in a registry", "crane")
    .option("--ca <file>", "CA of the registries' certificates (PEM), of bundles and of charts", readableFile)
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--forecast-settings <file>", "sources of carbon intensity forecasts (YAML)")
    .option("--audit-every <seconds>", "interval between background scans", positive, 600)
    .parse(argv)
    .opts<ControllerFlags>();
