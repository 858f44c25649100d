import { Command } from "commander";
import { logLevel, outputError, port, positive, whole } from "./option-values.ts";

/** The composition controller's command line. */
export interface ControllerFlags {
  kubeconfig?: string;
  helm: string;
  dataDir: string;
  workers: number;
  /** Seconds. */
  resync: number;
  healthPort?: number;
  krateoNamespace: string;
  /** Seconds; 0 for never. */
  reconsiderEvery: number;
  leaderElect?: string;
  identity: string;
  scheduleOnly?: boolean;
  logLevel: string;
  bundle?: string;
  bundleSettings?: string;
  unsigned?: boolean;
  crane: string;
  plainHttp?: boolean;
  forecastSettings?: string;
  /** Seconds. */
  auditEvery: number;
}

/** Reads the command line; ends the process where it is wrong, or for --help. `host` names this one among several. */
export const readControllerFlags = (argv: readonly string[], host: string): ControllerFlags =>
  new Command("composition")
    .description("Landfall's composition controller")
    .configureOutput({ outputError })
    .option("--kubeconfig <file>", "how to reach the API server; the Pod's service account where left out")
    .option("--helm <file>", "the helm program", "helm")
    .option("--data-dir <dir>", "where charts and measured intensities are kept", ".landfall/composition")
    .option("--workers <number>", "objects that are installed at once", whole(1, 1000), 4)
    .option("--resync <seconds>", "between two looks at an object that did not change", positive, 180)
    .option("--health-port <number>", "port of /healthz on the loopback address", port)
    .option("--krateo-namespace <name>", "told to charts as global.krateoNamespace, as Krateo does", "krateo-system")
    .option(
      "--reconsider-every <seconds>",
      "between two looks whether a start that waits is better moved; 0 for never",
      whole(0, 31_536_000),
      900,
    )
    .option("--leader-elect <namespace>", "of the Lease whose holder installs, where several of these run")
    .option("--identity <name>", "this one's name in the Lease", host)
    .option("--schedule-only", "lift pauses only: somebody else, as Krateo, installs releases")
    .addOption(logLevel())
    .option("--bundle <ref>", "policy bundle that the background scan asks: an OCI reference or a file")
    .option("--bundle-settings <file>", "whose bundles are used, and which others decide too (YAML)")
    .option("--unsigned", "use bundles without looking for signatures, where there are no bundle settings")
    .option("--crane <file>", "the crane program, for bundles in a registry", "crane")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--forecast-settings <file>", "where forecasts of carbon intensity come from (YAML)")
    .option("--audit-every <seconds>", "between two background scans", positive, 600)
    .parse(argv)
    .opts<ControllerFlags>();
