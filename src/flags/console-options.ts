import { Command, InvalidArgumentError } from "commander";
import { logLevel, outputError, port, readableFile } from "./option-values.ts";

/** The command line of the console that serves the users of an authenticating proxy. */
export interface ConsoleFlags {
  origin: string;
  host: string;
  port: number;
  clusterCa: string;
  tlsCert?: string;
  tlsKey?: string;
  bundle: string;
  bundleSettings?: string;
  unsigned?: boolean;
  forecastSettings?: string;
  crane?: string;
  ca?: string;
  plainHttp?: boolean;
  systemNamespace: string;
  healthPort?: number;
  healthHost: string;
  logLevel: string;
}

/** Parses `https://landfall.example.org`, as browsers send it in Origin. */
function origin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && ["https:", "http:"].includes(url.protocol) && url.origin === text) return text;
  const instead = url === null || url.origin === "null" ? "" : `: write ${url.origin}`;
  throw new InvalidArgumentError(
    `expected the address that browsers open, such as https://landfall.example.org${instead}.`,
  );
}

/** Reads the command line. Ends the process if it is wrong, and for --help. */
export const readConsoleFlags = (argv: readonly string[]): ConsoleFlags =>
  new Command("console")
    .description("Landfall's console for the users of an authenticating proxy: each request acts with its own token")
    .configureOutput({ outputError })
    .requiredOption("--origin <url>", "the address that browsers open", origin)
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--port <number>", "the port to listen on", port, 8080)
    .requiredOption("--cluster-ca <file>", "CA of the API server (PEM)", readableFile)
    .option("--tls-cert <file>", "certificate of this server (PEM); HTTP without it")
    .option("--tls-key <file>", "its key (PEM)")
    .requiredOption("--bundle <ref>", "the bundle that explains decisions: an OCI reference or a file")
    .option("--bundle-settings <file>", "trusted signers, and bundles of data and of other teams (YAML)")
    .option("--unsigned", "use bundles without checking signatures")
    .option("--forecast-settings <file>", "sources of forecasts and of measured hours (YAML)")
    .option("--crane <file>", "the program that looks up the registry's credentials")
    .option("--ca <file>", "CA of the registry's certificate (PEM)")
    .option("--plain-http", "the registry speaks HTTP without TLS")
    .option("--system-namespace <name>", "Landfall's own namespace", "landfall-system")
    .option("--health-port <number>", "port of /healthz", port)
    .option("--health-host <address>", "address of --health-port", "127.0.0.1")
    .addOption(logLevel())
    .parse(argv)
    .opts<ConsoleFlags>();
